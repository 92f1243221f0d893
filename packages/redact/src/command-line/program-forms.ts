import { MASK } from './mask.ts'

/** What is said of a positional argument: the words before it, the options before it, and what shows it without its secret. */
interface Position {
  readonly words: readonly string[]
  readonly options: readonly string[]
  readonly word: string
}

/** How a program takes secrets, beyond the names of options, variables and headers, which are the same for all programs. */
interface ProgramForms {
  readonly programs: RegExp
  /** Short options whose value is a secret. */
  readonly letters?: string
  /** Whole options of its own whose next argument is a secret. */
  readonly options?: RegExp
  /** Options that have no value, though their name is one of secrets. */
  readonly flags?: RegExp
  /** What a secret in the same argument follows. */
  readonly prefix?: RegExp
  /** Positional words after which a secret follows. */
  readonly after?: RegExp
  /** How a positional argument is shown; undefined: as it is. */
  readonly shown?: (position: Position) => string | undefined
}

/** The value of a positional `name=value`. */
const withoutValue = (word: string) => word.replace(/=[\s\S]+/, `=${MASK}`)
const maskIf = (isSecret: boolean) => (isSecret ? MASK : undefined)
const startsWith = (words: readonly string[], ...wanted: readonly string[]) =>
  wanted.every((word, at) => words[at] === word)
const has = (options: readonly string[], letter: string) =>
  options.some((option) => /^-[A-Za-z]+$/.test(option) && option.includes(letter))

const ORACLE_LOGIN = /^((?:userid=)?[\w.$#-]+\/)(?!\/)[\s\S]+?((?:@[^@]*)?)$/i

export const PROGRAM_FORMS: readonly ProgramForms[] = [
  { programs: /^(?:mysql|mariadb|mycli|sshpass|7z|unrar)/, letters: 'p' },
  { programs: /^rar$/, letters: 'p', prefix: /^-hp/ },
  { programs: /^mysqladmin$/, after: /^password$/ },
  {
    programs:
      /^(?:mosquitto_|zip$|unzip$|sqlcmd$|bcp$|[toi]sql$|mssql-cli$|ipmitool$|knife$|p4$|mqttx$|ykman$)/,
    letters: 'P',
  },
  { programs: /^i?usql$|^isql$/, shown: ({ words }) => maskIf(words.length === 2) },
  {
    programs: /^(?:sqlplus|sqlcl|sql|sqlldr|rman|expdp|impdp|exp|imp)$/,
    shown: ({ word }) => (ORACLE_LOGIN.test(word) ? word.replace(ORACLE_LOGIN, `$1${MASK}$2`) : undefined),
  },
  { programs: /^db2$/, after: /^using$/i },
  {
    programs: /^(?:redis|valkey|keydb)-cli$/,
    letters: 'a',
    after: /^(?:auth|requirepass|masterauth)$/i,
    shown: ({ words, word }) =>
      maskIf(
        /^auth$/i.test(words.at(-2) ?? '') || (word.startsWith('>') && /^setuser$/i.test(words[1] ?? '')),
      ),
  },
  { programs: /^(?:influx|doctl|flyctl|fly|vercel|frpc)$/, letters: 't' },
  { programs: /^neo4j-admin$/, after: /^set-initial-password$/ },
  { programs: /^grafana(?:-cli)?$/, after: /^reset-admin-password$/ },
  {
    programs: /^etcdctl$/,
    shown: ({ words, word }) =>
      startsWith(words, 'user', 'add') ? word.replace(/:[\s\S]+/, `:${MASK}`) : undefined,
  },
  {
    programs: /^rabbitmqctl$/,
    shown: ({ words }) => maskIf(/^(?:add_user|change_password|authenticate_user)$/.test(words.at(-2) ?? '')),
  },
  { programs: /^curl$/, letters: 'uUEb' },
  { programs: /^(?:http|https|xh|hey)$/, letters: 'a' },
  { programs: /^ab$/, letters: 'APC' },
  { programs: /^ssh-keygen$/, letters: 'NP' },
  {
    programs: /^(?:smb\w+|rpcclient|net|winexe)$/,
    letters: 'U',
    shown: ({ words }) => maskIf(words.length === 1 && /^(?:\/\/|\\\\)/.test(words[0]!)),
  },
  { programs: /^[wx]lfreerdp$|^xfreerdp3?$/, prefix: /^\/(?:p|gp|password):/ },
  { programs: /^swaks$/, options: /^--?ap$/ },
  { programs: /^sendemail$/i, options: /^-xp$/ },
  { programs: /^(?:ldap|ds(?:conf|ctl|idm)$)/, letters: 'w' },
  { programs: /^ldappasswd$/, letters: 'sa' },
  { programs: /^slappasswd$/, letters: 's' },
  { programs: /^(?:kadmin|squidclient)$/, letters: 'w' },
  {
    programs: /^samba-tool$/,
    shown: ({ words }) =>
      maskIf(words.length === 3 && /^(?:user create|user add)$/.test(words.slice(0, 2).join(' '))),
  },
  { programs: /^radtest$/, shown: ({ words }) => maskIf(words.length === 1 || words.length === 4) },
  { programs: /^radclient$/, after: /^(?:auth|acct|coa|disconnect|status)$/ },
  { programs: /^iwconfig$/, after: /^key$/ },
  { programs: /^snmp/, letters: 'AXc' },
  {
    programs: /^ipmitool$/,
    shown: ({ words }) => maskIf(words.at(-2) === 'password'),
  },
  { programs: /^(?:nmcli|wpa_cli)$/, after: /^(?:password|psk|[\w-]+\.psk)$/ },
  { programs: /^wpa_passphrase$/, shown: ({ words }) => maskIf(words.length === 1) },
  {
    programs: /^htpasswd$/,
    // The cost of -C is no name of a file or a user.
    shown: ({ words, options }) =>
      maskIf(has(options, 'b') && words.length === (has(options, 'n') ? 1 : 2) + (has(options, 'C') ? 1 : 0)),
  },
  { programs: /^mkpasswd$/, shown: () => MASK },
  {
    programs: /^openssl$/,
    options: /^-(?:k|K|hmac|macopt)$/,
    flags: /^-(?:pubkey|genkey)$/,
    shown: ({ words }) => maskIf(words[0] === 'passwd'),
  },
  {
    programs: /^keytool$/,
    options: /^-new$/,
    flags: /^-(?:genkey|genkeypair|genseckey|storepasswd|keypasswd|importpass)$/,
  },
  { programs: /^pdftk$/, after: /_pw$/i },
  { programs: /^(?:ccrypt|mcrypt|ss-\w+|sslocal|ssserver|swift)$/, letters: 'kK' },
  { programs: /^rclone$/, after: /^obscure$/ },
  {
    programs: /^microk8s$/,
    shown: ({ words, word }) => (words.at(-1) === 'join' ? word.replace(/\/[\s\S]+/, `/${MASK}`) : undefined),
  },
  {
    programs: /^(?:vault|bao)$/,
    shown: ({ words, word }) => {
      if (/^(?:kv (?:put|patch)|write) ./.test(words.join(' '))) return withoutValue(word)
      return maskIf(
        !/^[\w-]+=./.test(word) &&
          /^(?:login|unwrap|(?:operator )?(?:unseal|rekey|generate-root)|token (?:lookup|renew|revoke))$/.test(
            words.join(' '),
          ),
      )
    },
  },
  { programs: /^ansible-vault$/, after: /^encrypt_string$/ },
  {
    programs: /^pulumi$/,
    shown: ({ words, options }) =>
      maskIf(startsWith(words, 'config', 'set') && (words.length === 3 || options.includes('--secret'))),
  },
  { programs: /^(?:aws|az)$/, options: /^--value$/ },
  {
    programs: /^mc$/,
    shown: ({ words }) =>
      maskIf(/^(?:alias|config)$/.test(words[0] ?? '') && words.some((word) => word.includes('://'))),
  },
  { programs: /^ngrok$/, after: /authtoken$/ },
  { programs: /^cloudflared$/, shown: ({ words }) => maskIf(startsWith(words, 'service', 'install')) },
  { programs: /^gh$/, options: /^(?:-b|--body)$/, flags: /^--with-token$/ },
  {
    programs: /^(?:poetry|composer)$/,
    after: /^(?:github-oauth|gitlab-token|gitlab-oauth|bearer)\./,
    shown: ({ words }) => maskIf(/^http-basic\./.test(words.at(-2) ?? '')),
  },
  { programs: /^cargo$/, after: /^login$/ },
  { programs: /^snyk$/, after: /^auth$/ },
  {
    programs: /^dotnet$/,
    letters: 'k',
    shown: ({ words }) => maskIf(startsWith(words, 'user-secrets', 'set') && words.length === 3),
  },
  { programs: /^mvn$/, options: /^-em?p$/ },
  {
    programs: /^bw$/,
    after: /^unlock$/,
    options: /^--session$/,
    shown: ({ words }) => maskIf(words[0] === 'login' && words.length === 2),
  },
  { programs: /^op$/, options: /^--session$/ },
  { programs: /^gitlab-runner$/, letters: 'r' },
  { programs: /^caddy$/, options: /^--plaintext$/ },
]
