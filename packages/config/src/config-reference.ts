import { configKeys } from './config-keys.ts'
import { configVariables } from './config-sources.ts'
import { restartReason } from './restart-keys.ts'

const intro = `# Configuration

This page lists every configuration key. Tapdeck has one tree of keys: the same in values files, on the command line, and in the values of the
Helm chart.

\`\`\`yaml
tap:
  capture:
    raw: { storageSize: 20Gi }
hub:
  port: 9000
\`\`\`

\`\`\`sh
tapdeck config check -f values.yaml                                        # is it correct?
tapdeck up -f values.yaml --set tap.capture.dissection.stopAfter=30m
\`\`\`

Sources, of which the later wins:

1. the defaults below
2. values files in YAML: the one named by \`TAPDECK_CONFIG\`, then each \`-f FILE\` in order
3. environment variables: ${Object.entries(configVariables)
  .map(([variable, path]) => `\`${variable}\` (\`${path}\`)`)
  .join(', ')}
4. \`--set key.path=value\` in Helm's notation, repeatable: \`a.b=c,d={x,y},e[0]=z\`; a backslash escapes a dot or comma; \`null\` restores the
   default; \`--set-string\` keeps the value as text
5. \`--host\`, \`--port\`, \`--data\`, \`--interface\`

Objects are merged, lists and single values are replaced. An unknown key or a value that is not accepted stops the start with the path of the
key, the given value, its source, and what is accepted. \`tapdeck config check\` prints the same without starting anything, \`tapdeck config print\`
shows the resulting tree. Values files are watched while Tapdeck runs. A change is checked in the same way before it is applied.
The column *change* says whether the running hub applies a changed key at once, or after a restart. The hub logs a changed key that needs a
restart, and shows it as \`restart_needed\` in \`GET /api/status\` and in \`tapdeck status\`.

Sizes are a number of bytes, or a number with a unit: \`k M G T\` are powers of 1000, \`Ki Mi Gi Ti\` powers of 1024 (\`500Mi\`, \`1Gi\`); a \`B\`
may follow. Upper and lower case mean the same, but \`m\` alone is refused. Durations are one or more numbers with a unit,
\`ns us ms s m h d w\`: \`90s\`, \`5m\`, \`1h30m\`, \`2d\`.
`

/** The page \`docs/configuration.md\`, made from the schema. */
export function configReference(): string {
  const rows = configKeys.map(
    ({ path, accepts, default: value, doc }) =>
      `| \`${path}\` | \`${shown(value)}\` | ${accepts} | ${restartReason(path) === undefined ? 'at once' : 'restart'} | ${doc} |`,
  )
  return [intro, '| key | default | accepts | change | meaning |', '|---|---|---|---|---|', ...rows, ''].join(
    '\n',
  )
}

function shown(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value)
}
