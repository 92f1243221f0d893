import type { AnyCommand } from '../command.ts'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

export function isShell(text: string): text is Shell {
  return (shells as readonly string[]).includes(text)
}

/** A script for a shell, made from the list of commands. */
export function completionScript(shell: Shell, commands: readonly AnyCommand[]): string {
  if (shell === 'fish') return fishScript(commands)
  return shell === 'bash' ? bashScript(commands) : zshScript(commands)
}

/** Names of commands by their first word: the second words, where there are any. */
function groupsOf(commands: readonly AnyCommand[]): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const { name } of commands) {
    const [first, second] = name.split(' ') as [string, string?]
    const seconds = groups.get(first) ?? []
    if (second !== undefined) seconds.push(second)
    groups.set(first, seconds)
  }
  return groups
}

/** Values of an option that has a fixed list of them. */
function valuesOf(value: string | undefined): string[] {
  return value !== undefined && /^[a-z0-9-]+(\|[a-z0-9-]+)+$/.test(value) ? value.split('|') : []
}

/** Lines of a `case` over the command: what may follow it. */
function bashCases(commands: readonly AnyCommand[]): string {
  const groups = groupsOf(commands)
  const optionCases = commands.map(
    ({ name, options }) =>
      `    '${name}') options='${[...Object.keys(options), 'help'].map((one) => `--${one}`).join(' ')}' ;;`,
  )
  const values = new Map<string, string>()
  for (const { name, options } of commands)
    for (const [option, { value }] of Object.entries(options)) {
      const words = valuesOf(value)
      if (words.length > 0) values.set(`${name} --${option}`, words.join(' '))
    }
  const valueCases = [...values].map(([key, words]) => `    '${key}') values='${words}' ;;`)
  const groupCases = [...groups]
    .filter(([, seconds]) => seconds.length > 0)
    .map(([first, seconds]) => `    '${first}') seconds='${seconds.join(' ')}' ;;`)
  return `  local firsts='${[...groups.keys()].join(' ')}' seconds='' options='' values=''
  case "$first" in
${groupCases.join('\n')}
  esac
  local name=$first
  case " $seconds " in *" $second "*) [ -n "$second" ] && name="$first $second" ;; esac
  case "$name" in
${optionCases.join('\n')}
  esac
  case "$name $previous" in
${valueCases.join('\n')}
  esac`
}

function bashScript(commands: readonly AnyCommand[]): string {
  return `# bash completion of tapdeck
_tapdeck() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]}
  local first=\${COMP_WORDS[1]} second=\${COMP_WORDS[2]}
${bashCases(commands)}
  local words=''
  if [ "$COMP_CWORD" -eq 1 ]; then words=$firsts
  elif [ -n "$values" ]; then words=$values
  elif [[ $current == -* ]]; then words=$options
  elif [ "$COMP_CWORD" -eq 2 ]; then words=$seconds
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _tapdeck tapdeck
`
}

function zshScript(commands: readonly AnyCommand[]): string {
  return `#compdef tapdeck
# zsh completion of tapdeck
_tapdeck() {
  local current=\${words[CURRENT]} previous=\${words[CURRENT-1]}
  local first=\${words[2]} second=\${words[3]}
${bashCases(commands)}
  local found=''
  if (( CURRENT == 2 )); then found=$firsts
  elif [[ -n $values ]]; then found=$values
  elif [[ $current == -* ]]; then found=$options
  elif (( CURRENT == 3 )); then found=$seconds
  fi
  if [[ -n $found ]]; then compadd -- \${=found}; else _files; fi
}
compdef _tapdeck tapdeck
`
}

function fishScript(commands: readonly AnyCommand[]): string {
  const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  const lines = ['# fish completion of tapdeck']
  const groups = groupsOf(commands)
  for (const [first, seconds] of groups) {
    const single = commands.find(({ name }) => name === first)
    const doc = single?.summary ?? seconds.join(', ')
    lines.push(`complete -c tapdeck -f -n __fish_use_subcommand -a ${first} -d ${quoted(doc)}`)
  }
  for (const { name, summary, options } of commands) {
    const [first, second] = name.split(' ') as [string, string?]
    const seconds = groups.get(first) ?? []
    const isFirst = `__fish_seen_subcommand_from ${first}`
    const noSecond = seconds.length > 0 ? `; and not __fish_seen_subcommand_from ${seconds.join(' ')}` : ''
    if (second !== undefined)
      lines.push(`complete -c tapdeck -f -n ${quoted(isFirst + noSecond)} -a ${second} -d ${quoted(summary)}`)
    const when =
      second === undefined ? isFirst + noSecond : `${isFirst}; and __fish_seen_subcommand_from ${second}`
    for (const [option, { doc, value, short }] of Object.entries(options)) {
      const values = valuesOf(value)
      const takes =
        value === undefined ? '' : values.length > 0 ? ` -x -a ${quoted(values.join(' '))}` : ' -r'
      const letter = short === undefined ? '' : ` -s ${short}`
      lines.push(`complete -c tapdeck -n ${quoted(when)} -l ${option}${letter}${takes} -d ${quoted(doc)}`)
    }
  }
  return `${lines.join('\n')}\n`
}
