// Sizes in bytes.
export const KIBIBYTE = 1024;
export const MEBIBYTE = 1024 * KIBIBYTE;

/**
 * Largest headers of an answer that is read. Node's default is 16 KiB, and gateways add cookies, policies and traces of their own. They are
 * held as they arrive, so this much is not reserved.
 */
export const MAX_ANSWER_HEADER_BYTES = 256 * KIBIBYTE;
