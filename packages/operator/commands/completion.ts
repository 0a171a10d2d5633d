import { type OperatorCommand, operatorCommand } from '../cli/command.js';
import { completionScript, SHELLS } from '../cli/completion.js';

/** Prints a script made of the definitions of all commands, so it is as new as they are. */
export const completionCommand: OperatorCommand = {
  ...operatorCommand({
    name: 'completion',
    usage: `completion ${SHELLS.join(' | ')}`,
    positionals: ['shell'],
    options: {},
    example: ['completion', 'bash'],
    about: 'prints a script by which a shell completes commands and options',
    details: `It completes a command of the tool's name: a link, a function or an alias. Load it where your shell starts:
  bash  source <(<command> completion bash)
  zsh   source <(<command> completion zsh), behind compinit
  fish  <command> completion fish | source`,
    parse: () => ({}),
    run: () => Promise.reject(new Error('It is printed.')),
  }),
  print: ({ words: [word], wrong }, { program, commands, common }) => {
    const shell = SHELLS.find((one) => one === word);
    if (shell === undefined) throw wrong(`'${word}' is no shell that it knows: expected ${SHELLS.join(', ')}.`);
    return completionScript(shell, program, commands, common);
  },
};
