const SHAPE = /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/;

export const compact = (text) => text.replace(/\s+/g, '').toUpperCase();

export function isValid(text) {
  const iban = compact(text);
  return SHAPE.test(iban);
}
