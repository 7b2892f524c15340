// Runs the programs that it is told, one after the other: `{ file, folder }` is answered by `{ printed, error }`.
import { pathToFileURL } from "node:url";

let printed = "";
process.stdout.write = (text) => {
  printed += text;
  return true;
};

process.on("message", async ({ file, folder }) => {
  printed = "";
  process.chdir(folder);
  const error = await import(pathToFileURL(file).href).then(
    () => undefined,
    (thrown) => thrown?.stack ?? String(thrown),
  );
  process.send({ printed, error });
});
