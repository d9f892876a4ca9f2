import type { Completion, CompletionEntry } from './completion-entries.ts'

function wordsCase(pattern: string, words: readonly string[]): string {
  return `    ${pattern}) words="${words.join(' ')}" ;;`
}

function afterCommand({ command, subcommands, options, values }: CompletionEntry): string {
  return wordsCase(`"${command}"`, [...subcommands, ...values, ...options])
}

/** The part both shells share: given the words before the cursor, what may come next. Plain POSIX case tables. */
function table({ entries, choices }: Completion): string {
  return `  case "$previous" in
${choices.map(({ option, values }) => wordsCase(option, values)).join('\n')}
    --config|--store|--data) files=1 ;;
    *) case "$command" in
${entries.map(afterCommand).join('\n')}
    esac ;;
  esac`
}

/** Which words so far name a command: the longest chain of known names, options and their values left out. */
function commandReader(entries: readonly CompletionEntry[]): string {
  const known = entries.filter(({ command }) => command !== '').map(({ command }) => `"${command}"`)
  return `    case "\${command:+$command }$word" in
      ${known.join('|')}) command="\${command:+$command }$word" ;;
    esac`
}

/** A completion script for bash; it needs nothing but bash itself. */
export function bashScript(completion: Completion): string {
  return `# Completion of fairlead for bash. Put it where bash-completion looks, or: source <(fairlead completion bash)
_fairlead() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" command="" words="" files="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
${commandReader(completion.entries)}
  done
${table(completion)}
  if [ -n "$files" ]; then COMPREPLY=($(compgen -f -- "$current"))
  else COMPREPLY=($(compgen -W "$words" -- "$current")); fi
}
complete -F _fairlead fairlead
`
}

/** A completion script for zsh: a file named _fairlead in a folder of \`fpath\`, or sourced after \`compinit\`. */
export function zshScript(completion: Completion): string {
  return `#compdef fairlead
# Completion of fairlead for zsh. Put it into a folder of fpath as _fairlead, or: source <(fairlead completion zsh)
_fairlead() {
  local previous="\${words[CURRENT-1]}" command="" files="" word
  local -a typed
  typed=("\${(@)words[2,CURRENT-1]}")
  for word in "\${typed[@]}"; do
${commandReader(completion.entries)}
  done
  local words=""
${table(completion)}
  if [[ -n "$files" ]]; then _files; else compadd -- \${=words}; fi
}
if [[ "\${funcstack[1]}" = _fairlead ]]; then _fairlead "$@"; else compdef _fairlead fairlead; fi
`
}
