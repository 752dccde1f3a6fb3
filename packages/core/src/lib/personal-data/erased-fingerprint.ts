/** The fingerprint of an event whose personal data was erased. No list of paths has it. */
export const ERASED_FINGERPRINT = 'erased'
