const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Calls until it succeeds; each wait in between is twice as long as the one before. */
export async function callWithRetry(action, { attempts = 3, firstWait = 100, sleep = pause } = {}) {
  let wait = firstWait;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await action();
    } catch (error) {
      if (attempt === attempts) {
        throw error;
      }
      await sleep(wait);
      wait *= 10;
    }
  }
}
