export class RemoteError extends Error {}

/** The text that a server holds at /texts/NAME. */
export async function fetchText(server, name) {
  const answer = await fetch(`${server}/text/${name}`);
  if (!answer.ok) {
    throw new RemoteError(`${name}: ${answer.status}`);
  }
  return answer.text();
}
