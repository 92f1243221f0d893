import { type AnyCommand, command, exitStatus } from '../command.ts'
import { CommandFailed } from '../command-failed.ts'
import { completionScript, isShell, shells } from '../completion/completion-script.ts'

/** `commands`: those that are completed. */
export const completion = (commands: () => Promise<readonly AnyCommand[]>): AnyCommand =>
  command({
    name: 'completion',
    summary: 'Prints a script that completes commands and options in a shell.',
    takes: shells.join('|'),
    words: [1, 1],
    options: {},
    notes:
      'bash: `source <(tapdeck completion bash)` in ~/.bashrc. zsh: `source <(tapdeck completion zsh)` in ~/.zshrc, after compinit. fish: `tapdeck completion fish > ~/.config/fish/completions/tapdeck.fish`.',
    async run({ words, terminal }) {
      const shell = words[0]!
      if (!isShell(shell))
        throw new CommandFailed(`expected ${shells.join(', ')}, not "${shell}"`, { status: exitStatus.usage })
      await terminal.out(completionScript(shell, await commands()))
      return exitStatus.done
    },
  })
