import { describe, expect, it } from 'vitest'
import { scrubCommandLine } from './index.ts'

const token = 'tpd_8FqLw0Zb-3aVtq9mR_xK1dP7sYcEuHnJ5gT2oXiWlQk'
const worker = 'tpw_bm9kZS0x.q9mR_xK1dP7sYcEuHnJ5gT2oXiWlQk8FqLw0Zb3aVt'
const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJzZWNyZXQifQ.c2VjcmV0LXNpZw'
/** Every secret of the table holds one of these, and nothing else does. */
const SECRET = /hunter|tpd_8|tpw_b|eyJ|AKIA|s3cr|dXNl|-----BEGIN/

const hidden: [string[], string][] = [
  // Our own.
  [['tapdeck', 'calls', '--token', token], 'tapdeck calls --token ***'],
  [['tapdeck', 'calls', `--token=${token}`], 'tapdeck calls --token=***'],
  [['echo', token], 'echo ***'],
  [['echo', `x/${worker}/y`], 'echo x/***/y'],
  [['npm', 'exec', `tapdeck calls --token ${token} --json`], 'npm exec tapdeck calls --token *** --json'],
  [['tapdeck', 'up', '--set', 'worker.token=hunter2'], 'tapdeck up --set worker.token=***'],
  [
    ['tapdeck', 'up', '--set=tap.auth.oidc.clientSecret=hunter2'],
    'tapdeck up --set=tap.auth.oidc.clientSecret=***',
  ],
  // Forms.
  [['x', `Bearer hunter2`], 'x Bearer ***'],
  [['x', '-H', 'Authorization: Basic dXNlcjpodW50ZXIy'], 'x -H Authorization: ***'],
  [['x', 'basic', 'y', 'Basic dXNlcjpodW50ZXIy'], 'x basic y Basic ***'],
  [['x', `a${' '}${jwt}`], 'x a ***'],
  [['x', 'AKIAIOSFODNN7EXAMPLE'], 'x ***'],
  [['x', '-----BEGIN RSA PRIVATE KEY-----\nMIIEs3cr\n-----END RSA PRIVATE KEY-----'], 'x ***'],
  [['x', 'ghp_s3cr8ForTests0123456789abcdef'], 'x ***'],
  [['x', 'sk_live_s3cr8ForTests'], 'x ***'],
  // Options of any spelling.
  [['x', '--x-token', 'hunter2', 'y'], 'x --x-token *** y'],
  [['x', '--x-token=hunter2', 'y'], 'x --x-token=*** y'],
  [['x', '-token', 'hunter2', 'y'], 'x -token *** y'],
  [['x', '-token=hunter2'], 'x -token=***'],
  [['x', '--apiKey', 'hunter2'], 'x --apiKey ***'],
  [['x', '--db_password', 'hunter 2'], 'x --db_password ***'],
  [['x', '--PASSWORD=hunter 2'], 'x --PASSWORD=***'],
  [['x', '--token', '-hunter2_Ab'], 'x --token ***'],
  [['x', '--client-secret', 'hunter2', '--verbose'], 'x --client-secret *** --verbose'],
  [
    ['java', '-Djavax.net.ssl.keyStorePassword=hunter2', 'App'],
    'java -Djavax.net.ssl.keyStorePassword=*** App',
  ],
  [['openssl', 'rsa', '-passin', 'pass:hunter2', '-in', 'k'], 'openssl rsa -passin *** -in k'],
  [['x', '--master-key-2', 'hunter2'], 'x --master-key-2 ***'],
  // Variables.
  [['env', 'PGPASSWORD=hunter2', 'psql'], 'env PGPASSWORD=*** psql'],
  [['docker', 'run', '-e', 'MYSQL_PWD=hunter2', 'db'], 'docker run -e MYSQL_PWD=*** db'],
  [
    ['kubectl', 'create', 'secret', 'generic', 'a', '--from-literal=password=hunter2'],
    'kubectl create secret generic a --from-literal=password=***',
  ],
  [['sh', '-c', "export API_KEY='hunter 2'; run"], 'sh -c export API_KEY=***; run'],
  [['psql', 'host=db password=hunter2 user=me'], 'psql host=db password=*** user=me'],
  // -u and -p.
  [['curl', '-u', 'me:hunter2', 'http://h/'], 'curl -u *** http://h/'],
  [['curl', '-ume:hunter2', 'http://h/'], 'curl -u*** http://h/'],
  [['curl', '-sSu', 'me:hunter2', 'http://h/'], 'curl -sSu *** http://h/'],
  [['curl', '--user', 'me:hunter2'], 'curl --user ***'],
  [['curl', '--proxy-user=me:hunter2'], 'curl --proxy-user=***'],
  [['mysql', '-uroot', '-phunter'], 'mysql -uroot -p***'],
  [['sudo', 'mysqldump', '-phunter', 'db'], 'sudo mysqldump -p*** db'],
  [['docker', 'exec', 'db', 'mysql', '-phunter'], 'docker exec db mysql -p***'],
  [['docker', 'login', '-u', 'me', '-p', 'hunter2'], 'docker login -u *** -p ***'],
  [['sshpass', '-phunter', 'ssh', 'h'], 'sshpass -p*** ssh h'],
  [['tool', '-phunter2'], 'tool -p***'],
  [['redis-cli', '-a', 'hunter2', 'get', 'x'], 'redis-cli -a *** get x'],
  [['python', 'login.py', '-u', 'me:hunter2'], 'python login.py -u ***'],
  [['sh', '-c', 'mkdir -p /tmp/x && mysql -phunter db'], 'sh -c mkdir -p /tmp/x && mysql -p*** db'],
  // Headers.
  [['curl', '-H', 'Authorization: Digest username="me", response="hunter2"'], 'curl -H Authorization: ***'],
  [['curl', '-HX-Api-Key: hunter2'], 'curl -HX-Api-Key: ***'],
  [['curl', '-H', 'Cookie: a=1; id=hunter2', 'http://h/'], 'curl -H Cookie: *** http://h/'],
  [['curl', '--header=X-Auth-Token: hunter2'], 'curl --header=X-Auth-Token: ***'],
  [['http', 'h', 'Authorization:hunter2'], 'http h Authorization:***'],
  [['sh', '-c', `curl -H 'X-Token: hunter2' http://h/`], `sh -c curl -H 'X-Token: ***' http://h/`],
  [
    ['sh', '-c', `sh -c "curl -H 'X-Token: hunter2' http://h/"`],
    `sh -c sh -c "curl -H 'X-Token: ***' http://h/"`,
  ],
  // URLs.
  [['psql', 'postgres://me:hunter2@db/shop'], 'psql postgres://***@db/shop'],
  [['psql', 'postgres://me:hunt@hunter/2@db/shop'], 'psql postgres://***@db/shop'],
  [['git', 'clone', 'https://hunter2@git.example/x'], 'git clone https://***@git.example/x'],
  [['x', '--dsn=me:hunter2@tcp(db:3306)/shop'], 'x --dsn=me:***@tcp(db:3306)/shop'],
  [['curl', 'http://h/?a=1&access_token=hunter2&b=2'], 'curl http://h/?a=1&access_token=***&b=2'],
  // Bodies and filters.
  [['curl', '-d', '{"user":"me","password":"hunter \\" 2"}'], 'curl -d {"user":"me","password":"***"}'],
  [['curl', '-d', '{"password":"hunter2'], 'curl -d {"password":"***'],
  [['curl', '-d', 'user=me&password=hunter2'], 'curl -d user=me&password=***'],
  [
    ['tapdeck', 'calls', 'request.headers["x-token"] == "hunter2"'],
    'tapdeck calls request.headers["x-token"] == "***"',
  ],
]

const readable: string[][] = [
  ['mkdir', '-p', '/tmp/a'],
  ['/usr/bin/mkdir', '-p', '/tmp/a'],
  ['cp', '-pu', 'a', 'b'],
  ['ssh', '-p', '2222', 'git@host', 'uptime'],
  ['git', 'clone', 'ssh://git@host/x.git'],
  ['git', 'push', '-u', 'origin', 'main'],
  ['python3', '-u', 'app.py', '--port', '80'],
  ['sudo', '-u', 'postgres', 'psql'],
  ['mysql', '-uroot', '--host', 'db'],
  ['find', '.', '-print', '-prune', '-path', 'x'],
  ['x', '--token-file', '/etc/token', '--key-type', 'rsa', '--keyspace', 'shop', '--keyboard', 'us'],
  ['docker', 'login', '--password-stdin', 'registry'],
  ['psql', '--no-password', 'db'],
  ['docker', 'pull', 'nginx:1.2@sha256:0123abcd'],
  ['tapdeck', 'up', '--set', 'tap.auth.enabled=true'],
  ['nginx: worker process'],
  ['curl', '-H', 'Accept: application/json', 'http://h:8080/@scope/x?monkey=1'],
  ['node', '-e', 'setTimeout(() => {}, 30_000)'],
  ['x', '--tokenizer', 'gpt2'],
  ['sh', '-c', `echo "it's fine"   here`],
]

describe('scrubCommandLine', () => {
  it.each(hidden)('%j', (args, expected) => {
    expect(args.join(' ')).toMatch(SECRET)
    expect(scrubCommandLine(args)).toBe(expected)
  })

  it.each(hidden)('finds no secret in %j once the arguments are joined', (args) => {
    // What was inside one argument with blanks is not known any more: some secrets of several words are lost.
    if (args.some((arg) => /hunter 2|hunter \\/.test(arg))) return
    expect(scrubCommandLine(args.join(' '))).not.toMatch(SECRET)
  })

  it.each(hidden)('leaves %j as it is the second time', (args) => {
    const once = scrubCommandLine(args)
    expect(scrubCommandLine(once)).toBe(once)
  })

  it.each(readable.map((args) => [args]))('leaves %j readable, whole or joined', (args) => {
    expect(scrubCommandLine(args)).toBe(args.join(' '))
    expect(scrubCommandLine(args.join(' '))).toBe(args.join(' '))
  })

  it('masks before it cuts, whatever the place of the cut', () => {
    for (let length = 950; length < 1080; length++) {
      const line = scrubCommandLine([
        'curl',
        'x'.repeat(length),
        '-u',
        'me:hunter2',
        `--x=https://me:hunter2@h/`,
      ])
      expect(line.length).toBeLessThanOrEqual(1024)
      expect(line).not.toMatch(SECRET)
    }
  })

  it('shows no part of a secret that lies across the end of what is read', () => {
    for (let length = 4040; length < 4100; length++) {
      const filler = ['--token', 'y'.repeat(length)]
      expect(scrubCommandLine(['x', ...filler, `https://me:hunter2@h/`])).not.toMatch(SECRET)
      expect(scrubCommandLine(['x', ...filler, `get https://me:hunter2@h/`])).not.toMatch(SECRET)
    }
  })

  it('drops the last word of a text that was cut before', () => {
    const cut = `${'x'.repeat(1010)} https://me:hunter2@host/`.slice(0, 1024)
    expect(cut).toMatch(/me:hu$/)
    expect(scrubCommandLine(cut)).toBe('x'.repeat(1010))
  })

  it('masks a value of any length by the same mask', () => {
    expect(new Set([1, 5, 500].map((n) => scrubCommandLine(['x', '--key', 'k'.repeat(n)]))).size).toBe(1)
  })
})
