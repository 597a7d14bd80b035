export const isRedirect = (status) => [301, 302].includes(status);
