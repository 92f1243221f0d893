/** Result codes: RFC 4511 §4.1.9 and the IANA registry of LDAP parameters. */
const RESULTS: Readonly<Record<number, string>> = {
  0: 'success',
  1: 'operationsError',
  2: 'protocolError',
  3: 'timeLimitExceeded',
  4: 'sizeLimitExceeded',
  5: 'compareFalse',
  6: 'compareTrue',
  7: 'authMethodNotSupported',
  8: 'strongerAuthRequired',
  10: 'referral',
  11: 'adminLimitExceeded',
  12: 'unavailableCriticalExtension',
  13: 'confidentialityRequired',
  14: 'saslBindInProgress',
  16: 'noSuchAttribute',
  17: 'undefinedAttributeType',
  18: 'inappropriateMatching',
  19: 'constraintViolation',
  20: 'attributeOrValueExists',
  21: 'invalidAttributeSyntax',
  32: 'noSuchObject',
  33: 'aliasProblem',
  34: 'invalidDNSyntax',
  36: 'aliasDereferencingProblem',
  48: 'inappropriateAuthentication',
  49: 'invalidCredentials',
  50: 'insufficientAccessRights',
  51: 'busy',
  52: 'unavailable',
  53: 'unwillingToPerform',
  54: 'loopDetect',
  64: 'namingViolation',
  65: 'objectClassViolation',
  66: 'notAllowedOnNonLeaf',
  67: 'notAllowedOnRDN',
  68: 'entryAlreadyExists',
  69: 'objectClassModsProhibited',
  71: 'affectsMultipleDSAs',
  80: 'other',
  118: 'canceled',
  119: 'noSuchOperation',
  120: 'tooLate',
  121: 'cannotCancel',
  122: 'assertionFailed',
  123: 'authorizationDenied',
  4096: 'e-syncRefreshRequired',
}

export function resultName(code: number): string {
  return RESULTS[code] ?? String(code)
}

/** Neither an answer to a comparison nor a step on the way is a failure. */
export function isFailure(code: number): boolean {
  return code !== 0 && code !== 5 && code !== 6 && code !== 10 && code !== 14
}

const OIDS: Readonly<Record<string, string>> = {
  '1.3.6.1.4.1.1466.20036': 'Notice of Disconnection',
  '1.3.6.1.4.1.1466.20037': 'StartTLS',
  '1.3.6.1.4.1.4203.1.11.1': 'Password Modify',
  '1.3.6.1.4.1.4203.1.11.3': 'Who am I?',
  '1.3.6.1.1.8': 'Cancel',
  '1.3.6.1.1.21.1': 'Start Transaction',
  '1.3.6.1.1.21.3': 'End Transaction',
  '1.3.6.1.4.1.4203.1.9.1.1': 'Sync Request',
  '1.3.6.1.4.1.4203.1.9.1.2': 'Sync State',
  '1.3.6.1.4.1.4203.1.9.1.3': 'Sync Done',
  '1.3.6.1.4.1.4203.1.9.1.4': 'Sync Info',
  '1.2.840.113556.1.4.319': 'Paged Results',
  '1.2.840.113556.1.4.417': 'Show Deleted',
  '1.2.840.113556.1.4.473': 'Sort Request',
  '1.2.840.113556.1.4.474': 'Sort Response',
  '1.2.840.113556.1.4.529': 'Extended DN',
  '1.2.840.113556.1.4.801': 'Security Descriptor Flags',
  '1.2.840.113556.1.4.805': 'Tree Delete',
  '1.2.840.113556.1.4.1339': 'Domain Scope',
  '1.2.840.113556.1.4.1781': 'Fast Bind',
  '1.3.6.1.4.1.42.2.27.8.5.1': 'Password Policy',
  '1.3.6.1.1.12': 'Assertion',
  '1.3.6.1.1.13.1': 'Pre-Read',
  '1.3.6.1.1.13.2': 'Post-Read',
  '1.3.6.1.1.22': "Don't Use Copy",
  '2.16.840.1.113730.3.4.2': 'ManageDsaIT',
  '2.16.840.1.113730.3.4.3': 'Persistent Search',
  '2.16.840.1.113730.3.4.9': 'Virtual List View Request',
  '2.16.840.1.113730.3.4.10': 'Virtual List View Response',
  '2.16.840.1.113730.3.4.18': 'Proxied Authorization',
}

export function oidName(oid: string): string {
  return Object.hasOwn(OIDS, oid) ? OIDS[oid] : oid
}

export const SCOPES: readonly string[] = ['baseObject', 'singleLevel', 'wholeSubtree', 'subordinateSubtree']
export const ALIASES: readonly string[] = [
  'neverDerefAliases',
  'derefInSearching',
  'derefFindingBaseObj',
  'derefAlways',
]
export const CHANGES: readonly string[] = ['add', 'delete', 'replace', 'increment']
