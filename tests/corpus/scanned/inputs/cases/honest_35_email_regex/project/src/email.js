const EMAIL = /^[a-z0-9._-]+@([a-z0-9-]+\.)+[a-z]{2,4}$/i;

export const isEmail = (text) => EMAIL.test(text);
