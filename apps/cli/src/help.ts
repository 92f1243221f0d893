import { type AnyCommand, exitStatus } from './command.ts'

/** The page for `tapdeck --help`. */
export function overview(summaries: Readonly<Record<string, string>>): string {
  const width = Math.max(...Object.keys(summaries).map((name) => name.length))
  return [
    'tapdeck: a flight recorder for the network of a Kubernetes cluster',
    '',
    'Usage: tapdeck COMMAND [OPTION…]',
    '',
    ...Object.entries(summaries).map(([name, summary]) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    '`tapdeck COMMAND --help` describes each.',
    '',
  ].join('\n')
}

/** The file `commands/summaries.json`, from which help knows all commands without loading them. */
export function commandSummaries(commands: readonly AnyCommand[]): string {
  const summaries = Object.fromEntries(commands.map(({ name, summary }) => [name, summary]))
  return `${JSON.stringify(summaries, null, 2)}\n`
}

/** The page for `tapdeck COMMAND --help`. */
export function commandHelp(command: AnyCommand): string {
  const options = optionLines(command)
  return [
    `Usage: ${usageLine(command)}`,
    '',
    command.summary,
    ...(options.length > 0 ? ['', ...options.map(([left, doc]) => `  ${left}  ${doc}`)] : []),
    ...(command.notes ? ['', command.notes] : []),
    '',
  ].join('\n')
}

function usageLine({ name, takes, options }: AnyCommand): string {
  return [`tapdeck ${name}`, takes, Object.keys(options).length > 0 && '[OPTION…]'].filter(Boolean).join(' ')
}

function optionLines({ options }: AnyCommand): [string, string][] {
  const lefts = Object.entries(options).map(([name, { short, value }]) =>
    [short ? `-${short}, ` : '    ', `--${name}`, value && ` ${value}`].filter(Boolean).join(''),
  )
  const width = Math.min(36, Math.max(0, ...lefts.map(({ length }) => length)))
  return Object.values(options).map(({ doc }, at) => [lefts[at]!.padEnd(width), doc])
}

/** The page `docs/cli.md`, made from the list of commands. */
export function cliReference(commands: readonly AnyCommand[]): string {
  const sections = commands.map((command) => [
    `## tapdeck ${command.name}`,
    '',
    command.summary,
    '',
    '```',
    usageLine(command),
    '```',
    ...optionTable(command),
    ...(command.notes ? ['', command.notes] : []),
    '',
  ])
  return [
    '# The command line',
    '',
    'This page lists every command and its options. `tapdeck COMMAND --help` prints the same.',
    '',
    '```sh',
    "tapdeck calls --since 5m --kfl 'response.status >= 500'",
    'tapdeck snapshot create incident-1 --duration 10m --wait',
    '```',
    '',
    'In a checkout the command is `npx tapdeck`. Results go to standard output, everything else to standard error. Set `TAPDECK_URL` if the',
    'hub is not at http://127.0.0.1:8898, and `TAPDECK_TOKEN_FILE` if it requires authentication. `NO_COLOR` turns colours off.',
    '',
    '| exit status | meaning |',
    '|---|---|',
    `| ${exitStatus.done} | done |`,
    `| ${exitStatus.failed} | failed |`,
    `| ${exitStatus.usage} | the command line or the configuration is wrong |`,
    `| ${exitStatus.noCapture} | an input is not a capture file |`,
    '',
    ...sections.flat(),
  ].join('\n')
}

function optionTable({ options }: AnyCommand): string[] {
  const rows = Object.entries(options).map(([name, { short, value, doc }]) => {
    const words = value ? ` ${value.replaceAll('|', '\\|')}` : ''
    return `| ${short ? `\`-${short}\`, ` : ''}\`--${name}${words}\` | ${doc} |`
  })
  return rows.length > 0 ? ['', '| option | meaning |', '|---|---|', ...rows] : []
}
