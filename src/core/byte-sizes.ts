// Sizes in bytes.
export const KIBIBYTE = 1024;
export const MEBIBYTE = 1024 * KIBIBYTE;
