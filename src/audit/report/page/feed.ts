/** What the server of a view tells, as it happens. */

type Heard = (value: unknown) => void;

/**
 * `path` is that of the stream; the token of the page's own address goes with it. `onState` is told whether it is connected. The
 * result ends it.
 */
export function feed(
  path: string,
  parameters: Readonly<Record<string, string>>,
  heard: Readonly<Record<string, Heard>>,
  onState: (isLive: boolean) => void,
): () => void {
  const token = new URLSearchParams(location.search).get("token") ?? "";
  const source = new EventSource(`${path}?${new URLSearchParams({ ...parameters, token })}`);
  source.addEventListener("open", () => onState(true));
  source.addEventListener("error", () => onState(false));
  for (const [name, take] of Object.entries(heard)) {
    source.addEventListener(name, (message: MessageEvent<string>) => {
      // Asking again would fail again.
      if (name === "failed") source.close();
      take(JSON.parse(message.data));
    });
  }
  return () => source.close();
}
