import { visibleText } from '@tapdeck/api/visible-text'
import { ConfigError } from '@tapdeck/config/config-error'
import { nearest } from '@tapdeck/config/nearest'
import { flag } from './arguments/option.ts'
import { parseArguments } from './arguments/parse-arguments.ts'
import { isUsageError, UsageError } from './arguments/usage-error.ts'
import { type AnyCommand, exitStatus } from './command.ts'
import { CommandFailed } from './command-failed.ts'
import type { CommandList } from './command-list.ts'
import { commandHelp, overview } from './help.ts'
import { contextOptions } from './hub/hub-options.ts'
import type { Terminal } from './output/terminal.ts'

/** Finds the command that the arguments name, runs it, and turns what goes wrong into a line and an exit status. */
export async function runCommand(
  commands: CommandList,
  args: readonly string[],
  terminal: Terminal,
  env: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const [first, ...rest] = args
  // `tapdeck --context NAME calls` is `tapdeck calls --context NAME`.
  if ((first === '--context' || first === '--namespace') && rest.length > 1)
    return runCommand(commands, [...rest.slice(1), first, rest[0]!], terminal, env)
  if (
    first === undefined ||
    first === '--help' ||
    first === '-h' ||
    (first === 'help' && rest.length === 0)
  ) {
    await terminal.out(overview(commands.summaries))
    return first === undefined ? exitStatus.usage : exitStatus.done
  }
  if (first === 'help') return runCommand(commands, [...rest, '--help'], terminal, env)
  if (first === '--version') return runCommand(commands, ['version', ...rest], terminal, env)
  const name = findName(commands, args)
  if (name === undefined) return unknownCommand(commands, args, terminal)
  const command = await commands.load(name)
  const own = args.slice(command.name.split(' ').length)
  try {
    const table = { ...command.options, help: flag('Shows this page.', { short: 'h' }) }
    const { options: given, words } = parseArguments(table, own)
    const { help, ...options } = given
    if (help) {
      await terminal.out(commandHelp(command))
      return exitStatus.done
    }
    checkWords(command, words)
    if (!('context' in options) || options.context === undefined || command.forwards)
      return await command.run({ options, words, terminal, env })
    const failed = (reason: string) =>
      terminal.note(`tapdeck ${command.name}: a connection failed: ${reason}`)
    // Some commands have a --namespace of their own.
    const ofHub = command.options.namespace === contextOptions.namespace
    const { forwardTo } = await import('./hub/with-context.ts')
    const forward = await forwardTo(ofHub ? options : { ...options, namespace: undefined }, 0, failed)
    try {
      return await command.run({ options, words, terminal, env: { ...env, TAPDECK_URL: forward.url } })
    } finally {
      forward.close()
    }
  } catch (error) {
    return reportError(error, command, own.includes('--json'), terminal)
  }
}

/** Expected failures become a line; anything else is a bug and is thrown. */
function reportError(error: unknown, command: AnyCommand, asJson: boolean, terminal: Terminal): number {
  if (error instanceof CommandFailed) {
    const { message, hint } = error
    if (asJson)
      terminal.note(visibleText(JSON.stringify(error.problem ?? { detail: message, ...(hint && { hint }) })))
    else {
      terminal.note(`tapdeck ${command.name}: ${message}`)
      if (hint) terminal.note(hint)
    }
    return error.status
  }
  if (isUsageError(error)) {
    terminal.note(`tapdeck ${command.name}: ${error.message}`)
    terminal.note(`Try: tapdeck ${command.name} --help`)
    return exitStatus.usage
  }
  if (isSystemError(error)) {
    terminal.note(`tapdeck ${command.name}: ${error.message}`)
    return exitStatus.failed
  }
  if (!(error instanceof ConfigError)) throw error
  terminal.note(`tapdeck ${command.name}: the configuration is not right`)
  for (const line of error.message.split('\n')) terminal.note(`  ${line}`)
  return exitStatus.usage
}

/** What the machine refused: a folder that is not there, a file that may not be written, a full disk. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error
}

function findName({ summaries }: CommandList, args: readonly string[]): string | undefined {
  return [args.slice(0, 2).join(' '), args[0]!].find((name) => Object.hasOwn(summaries, name))
}

function checkWords(command: AnyCommand, words: readonly string[]): void {
  const [least, most] = command.words ?? [0, 0]
  if (words.length < least) throw new UsageError(`expected ${command.takes}`)
  if (words.length > most) throw new UsageError(`unexpected "${words[most]}"`)
}

async function unknownCommand(
  { summaries }: CommandList,
  args: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const group = Object.entries(summaries).filter(([name]) => name.startsWith(`${args[0]} `))
  if (group.length > 0 && (args[1] === '--help' || args[1] === '-h')) {
    await terminal.out(overview(Object.fromEntries(group)))
    return exitStatus.done
  }
  if (group.length > 0) {
    const rest = group.map(([name]) => name.split(' ')[1])
    terminal.note(
      `tapdeck ${args[0]}: expected one of ${rest.join(', ')}${args[1] ? `, not "${args[1]}"` : ''}`,
    )
  } else {
    const near = nearest(args[0]!, new Set(Object.keys(summaries).map((name) => name.split(' ')[0]!)))
    terminal.note(`tapdeck: unknown command "${args[0]}"${near ? `; did you mean ${near}?` : ''}`)
  }
  terminal.note('Try: tapdeck --help')
  return exitStatus.usage
}
