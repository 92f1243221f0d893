/** The same names as in the api's matrix of roles, from which this package may not read. */
export const acceptedRoles = ['svc-admin', 'svc-realtime', 'svc-snapshot', 'svc-viewer'] as const
