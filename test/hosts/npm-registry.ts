/** A registry on the loopback interface: it has our package as `npm pack` makes it, and what that depends on. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Packs the checkout at `root` into `folder`. Answers the path of the tarball. */
export async function packed(root: string, folder: string): Promise<string> {
  const { stdout } = await run("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", folder], {
    cwd: root,
  });
  const [{ filename = "" } = {}] = JSON.parse(stdout) as { filename?: string }[];
  return join(folder, filename);
}

/** The dependencies are those that are installed at `root`. */
export async function serveRegistry(root: string, tarball: string) {
  const tarballs = new Map<string, Buffer>();
  const own = (JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { name: string }).name;

  async function bytesOf(name: string): Promise<Buffer> {
    if (name === own) return readFileSync(tarball);
    const args = ["-czf", "-", "--exclude=./node_modules", "--transform=s,^\\.,package,", "."];
    const options = { cwd: join(root, "node_modules", name), encoding: "buffer", maxBuffer: 1 << 28 } as const;
    return (await run("tar", args, options)).stdout;
  }

  async function answer(url: string, response: ServerResponse): Promise<unknown> {
    const [name = "", file] = decodeURIComponent(url.slice(1)).split("/-/");
    const folder = name === own ? root : join(root, "node_modules", name);
    if (!existsSync(join(folder, "package.json"))) return response.writeHead(404).end("{}");
    const bytes = tarballs.get(name) ?? (await bytesOf(name));
    tarballs.set(name, bytes);
    if (file !== undefined) return response.end(bytes);
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
    const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
    const dist = { tarball: `${address()}${name}/-/package.tgz`, integrity };
    const versions = { [manifest.version]: { ...manifest, dist } };
    response.writeHead(200, { "content-type": "application/json" });
    return response.end(JSON.stringify({ name, "dist-tags": { latest: manifest.version }, versions }));
  }

  const server = createServer(({ url = "" }, response) => void answer(url, response));
  const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: address(),
    close: () => {
      server.closeAllConnections();
      return new Promise((done) => server.close(done));
    },
  };
}
