import { isRedirect } from './status.js';

export function follow(request, response) {
  if (!isRedirect(response.status) || !response.location) return null;
  const url = new URL(response.location, request.url).href;
  if (request.method === 'POST') return { url, method: 'GET' };
  return { ...request, url };
}
