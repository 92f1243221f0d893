import { type Operation, type OperationName, type OperationRequest, operations } from '@tapdeck/api'
import type { Option } from '../arguments/option.ts'
import { type AnyCommand, command, exitStatus } from '../command.ts'
import { hubOptions, openHub, wantsTable } from '../hub/hub-options.ts'
import { windowOf, windowOptions } from '../hub/window-options.ts'
import { showJson } from '../output/show.ts'
import { showAnswer } from '../output/show-answer.ts'
import { inputOptions } from './input-options.ts'

export interface OperationCommandTexts {
  /** Default: the name of the operation with hyphens. */
  readonly name?: string
  /** Default: the first sentence of the description of the operation. */
  readonly summary?: string
  readonly notes?: string
  /** Operations that answer a part of the same. */
  readonly alsoCovers?: readonly OperationName[]
}

export function commandName(operation: OperationName, texts: OperationCommandTexts = {}): string {
  return texts.name ?? operation.replaceAll('_', '-')
}

/** The command of one operation, made from its definition alone. Streams of bytes need a command of their own. */
export function operationCommand(operation: OperationName, texts: OperationCommandTexts = {}): AnyCommand {
  const { description, bytes }: Operation = operations[operation]
  if (bytes !== undefined) throw new Error(`${operation} sends bytes: write a command for it`)
  // `--namespace` of an operation is older than the one of --context, and keeps its meaning.
  const taken = Object.keys(hubOptions).filter((name) => name !== 'namespace')
  const { words, options } = inputOptions(operation, new Set(taken))
  const hasWindow = options.has('start') && options.has('end')
  const [sentence = description, ...more] = description.split(/(?<=\.)\s+/)
  const own = Object.fromEntries(Array.from(options.values(), ({ name, option }) => [name, option]))
  const notes = texts.notes ?? more.join(' ')
  return command({
    name: commandName(operation, texts),
    summary: texts.summary ?? sentence,
    operations: [operation, ...(texts.alsoCovers ?? [])],
    ...(words.length > 0 && {
      takes: words.map((word) => word.toUpperCase()).join(' '),
      words: [words.length, words.length] as const,
    }),
    options: { ...own, ...(hasWindow && windowOptions), ...hubOptions, ...own } as typeof hubOptions,
    ...(notes !== '' && { notes }),
    async run(input) {
      const given: Readonly<Record<string, unknown>> = input.options
      const request: Record<string, unknown> = Object.fromEntries([
        ...words.map((key, at) => [key, input.words[at]]),
        ...Array.from(options, ([key, { name, option }]) => [key, unlessAbsent(option, given[name])]),
      ])
      if (hasWindow)
        Object.assign(
          request,
          windowOf(given as Readonly<Record<keyof typeof windowOptions, string | undefined>>),
        )
      const answer = await openHub(input).call(operation, request as OperationRequest<OperationName>)
      if (wantsTable(input.options, input.terminal))
        await showAnswer(input.terminal, answer, { utc: input.options.utc })
      else await showJson(input.terminal, answer)
      return exitStatus.done
    },
  })
}

/** An option that was not given is not sent: the hub has its own default. */
function unlessAbsent(option: Option<unknown>, value: unknown): unknown {
  return value === option.absent ? undefined : value
}
