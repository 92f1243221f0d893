import { scrubCommandLine } from '@tapdeck/redact/command-line'

/**
 * Hides secrets in the arguments of this process from other users of the machine, who read them with `ps`: setting the
 * title overwrites the memory behind /proc/PID/cmdline. Arguments without secrets stay as they are.
 */
export function hideArguments(args: readonly string[]): void {
  const whole = ['tapdeck', ...args]
  const shown = scrubCommandLine(whole)
  if (shown !== whole.join(' ')) process.title = shown
}
