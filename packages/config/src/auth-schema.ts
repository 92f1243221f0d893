import { z } from 'zod'
import { acceptedRoles } from './accepted-roles.ts'
import { duration } from './notation.ts'

/** All of the api's capabilities but `mcp:use` and `access:manage`, which no role of the configuration gets. */
export const grantableCapabilities = [
  'dissection:control',
  'dissection:live',
  'snapshot:read',
  'snapshot:write',
  'snapshot:dissection',
  'pods:target:write',
  'settings:write',
  'events:cmdline',
  'tls:read',
] as const

const reserved = 'svc-'
const roleName = /^[a-z0-9][a-z0-9._-]{0,62}$/
/** RFC 1123 label, as Kubernetes names namespaces. */
const namespace = z.string().regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/)

const customRole = z.strictObject({
  capabilities: z.array(z.enum(grantableCapabilities)).default([]),
  namespaces: z.array(namespace).min(1).max(256).optional(),
})

const url = (doc: string) =>
  z
    .union([z.literal(''), z.url({ protocol: /^https?$/ })])
    .default('')
    .describe(doc)
    .meta({ accepts: 'an http or https address' })

const oidc = z.strictObject({
  issuer: url('The OpenID Connect provider, exactly as its tokens name it in `iss`.'),
  audience: z
    .string()
    .default('')
    .describe(
      'What `aud` of an access token must contain. Empty: bearer tokens of the issuer are not accepted.',
    ),
  rolesClaim: z
    .string()
    .min(1)
    .default('groups')
    .describe('The claim with groups or roles: a name, or a path such as realm_access.roles.'),
  nameClaim: z
    .string()
    .min(1)
    .default('email')
    .describe('The claim with the name of the caller; `sub` if it is missing.'),
  clientId: z
    .string()
    .default('')
    .describe('Our client at the issuer, for browsers to log in. Empty: no browser login.'),
  clientSecret: z
    .string()
    .default('')
    .describe('Its secret; empty for a public client. Prefer clientSecretFile.'),
  clientSecretFile: z.string().default('').describe('A file with the secret.'),
  scopes: z
    .array(z.string().min(1))
    .min(1)
    .default(['openid', 'profile', 'email'])
    .describe('The scopes that are requested at login.'),
  caFile: z
    .string()
    .default('')
    .describe("Certificates to trust at the issuer, in PEM; empty: the system's."),
  clockSkew: duration
    .default('30s')
    .describe('Allowed difference of clocks when times of a token are checked; at most 5m.'),
})

const kubernetes = z.strictObject({
  enabled: z
    .boolean()
    .default(false)
    .describe('Accept service-account tokens, checked by the TokenReview of the cluster.'),
  apiServer: url('The API server; empty: the one of the cluster that the hub runs in.'),
  caFile: z
    .string()
    .default('/var/run/secrets/kubernetes.io/serviceaccount/ca.crt')
    .describe('The certificate authority of the API server.'),
  tokenFile: z
    .string()
    .default('/var/run/secrets/kubernetes.io/serviceaccount/token')
    .describe("The hub's own token, which must be allowed to create tokenreviews."),
  audience: z.string().default('tapdeck').describe('The audience that tokens must have.'),
  workers: z
    .string()
    .default('')
    .describe(
      'Service account of the workers, as namespace:name. Workers then use their service-account token, each valid for its own node.',
    ),
})

const session = z.strictObject({
  idle: duration.default('2h').describe('A browser session ends after this time without a request.'),
  longest: duration.default('12h').describe('A browser session ends after this time in any case.'),
})

export const auth = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe('Authenticate callers. If false, every caller has the default role.'),
    defaultRole: z
      .string()
      .default('svc-admin')
      .describe('Role of every caller without authentication.')
      .meta({ accepts: acceptedRoles.join(', ') }),
    roles: z
      .record(z.string(), customRole)
      .default({})
      .describe('More roles: `NAME.capabilities`, and `NAME.namespaces` to limit a role to namespaces.')
      .meta({ accepts: 'roles by name, each with capabilities and namespaces' }),
    groupMapping: z
      .record(z.string(), z.string())
      .default({})
      .describe('The role of each group of the issuer or of the cluster; the highest counts.')
      .meta({ accepts: 'roles by group' }),
    oidc: oidc.prefault({}),
    kubernetes: kubernetes.prefault({}),
    session: session.prefault({}),
  })
  .superRefine((given, context) => {
    const refuse = (path: (string | number)[], input: unknown, accepted: string) =>
      context.addIssue({ code: 'custom', path, input, params: { accepted } })
    for (const name of Object.keys(given.roles)) {
      if (name.startsWith(reserved))
        refuse(['roles', name], name, `another name: ${reserved} is kept for the roles that are built in`)
      else if (!roleName.test(name)) refuse(['roles', name], name, 'a name of a-z 0-9 . _ -')
    }
    const known = [...acceptedRoles, ...Object.keys(given.roles)]
    if (!known.includes(given.defaultRole)) refuse(['defaultRole'], given.defaultRole, known.join(', '))
    for (const [group, role] of Object.entries(given.groupMapping))
      if (!known.includes(role)) refuse(['groupMapping', group], role, known.join(', '))
    const { issuer, audience, clientId } = given.oidc
    if (issuer !== '' && audience === '' && clientId === '')
      refuse(
        ['oidc', 'audience'],
        audience,
        'an audience, or a clientId for browser login, where an issuer is given',
      )
    if (issuer === '' && (audience !== '' || clientId !== ''))
      refuse(
        ['oidc', 'issuer'],
        issuer,
        'the address of the issuer, where an audience or a clientId is given',
      )
    if (!/^([a-z0-9.-]+:[a-z0-9.-]+)?$/.test(given.kubernetes.workers))
      refuse(['kubernetes', 'workers'], given.kubernetes.workers, 'namespace:name of a service account')
  })
