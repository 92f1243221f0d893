/** What is shown in place of a secret. Its length is fixed, so that it says nothing about the secret. */
export const MASK = '***'
