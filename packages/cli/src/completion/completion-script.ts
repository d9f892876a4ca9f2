import type { Completion, CompletionEntry, CompletionPaths } from './completion-entries.ts'

function offer(pattern: string, words: readonly string[], paths: CompletionPaths | null): string {
  return `    ${pattern}) offered="${words.join(' ')}" paths="${paths ?? ''}" ;;`
}

/** A first argument is offered once; names of files stand alone, since a shell adds them only where nothing else fits. */
function afterCommand({ command, subcommands, options, values, paths }: CompletionEntry): string {
  const first = [...subcommands, ...values]
  return [
    offer(`"${command}:-"`, options, null),
    offer(`"${command}:0"`, paths === null ? [...first, ...options] : [], paths),
    offer(`"${command}:"*`, options, null),
  ].join('\n')
}

/** The part both shells share: given the words before the cursor, what may come next. Plain POSIX case tables. */
function table({ entries, choices }: Completion): string {
  return `  case "$previous" in
${choices.map(({ option, values, paths }) => offer(option, values, paths)).join('\n')}
    *) case "$command:$place" in
${entries.map(afterCommand).join('\n')}
    esac ;;
  esac`
}

/**
 * Reads the words before the cursor: which of them name a command (the longest chain of known names; options and their
 * values are none), how many arguments follow it, and which option waits for its value.
 */
function wordReader({ entries, choices }: Completion): string {
  const known = entries.filter(({ command }) => command !== '').map(({ command }) => `"${command}"`)
  return `    if [ -n "$previous" ]; then previous=""; continue; fi
    case "$word" in
      ${choices.map(({ option }) => option).join('|')}) previous="$word"; continue ;;
      -*) continue ;;
    esac
    case "\${command:+$command }$word" in
      ${known.join('|')}) command="\${command:+$command }$word" ;;
      *) count=$((count + 1)) ;;
    esac`
}

const startOfPlace = `  local place="$count"
  case "$current" in -*) place="-" ;; esac`

/**
 * A completion script for bash; it needs nothing but bash itself. Names of files and folders are left to readline, which
 * quotes them: a script that lists them itself has them read as code by the shell. Bash before 4 can only ask
 * for that everywhere.
 */
export function bashScript(completion: Completion): string {
  return `# Completion of fairlead for bash. Put it where bash-completion looks, or: source <(fairlead completion bash)
_fairlead() {
  local IFS=$' \\t\\n' current="\${COMP_WORDS[COMP_CWORD]}" previous="" command="" offered="" paths="" word
  local -i count=0
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    # --store=FILE is three words here.
    if [ "$word" = "=" ]; then continue; fi
${wordReader(completion)}
  done
  if [ "$current" = "=" ]; then current=""; fi
${startOfPlace}
${table(completion)}
  COMPREPLY=()
  for word in $offered; do
    case "$word" in "$current"*) COMPREPLY+=("$word") ;; esac
  done
  if [ "\${BASH_VERSINFO[0]}" -lt 4 ]; then return; fi
  case "$paths" in
    files) compopt -o default ;;
    folders) compopt -o dirnames ;;
  esac
}
if [ "\${BASH_VERSINFO[0]}" -lt 4 ]; then complete -o default -F _fairlead fairlead; else complete -F _fairlead fairlead; fi
`
}

/** A completion script for zsh: a file named _fairlead in a folder of \`fpath\`, or sourced after \`compinit\`. */
export function zshScript(completion: Completion): string {
  return `#compdef fairlead
# Completion of fairlead for zsh. Put it into a folder of fpath as _fairlead, or: source <(fairlead completion zsh)
_fairlead() {
  local current="\${words[CURRENT]}" previous="" command="" offered="" paths="" word
  local -i count=0
  local -a typed
  typed=("\${(@)words[2,CURRENT-1]}")
  for word in "\${typed[@]}"; do
${wordReader(completion)}
  done
  case "$current" in
    --*=*) previous="\${current%%=*}"; current="\${current#*=}"; compset -P '*=' ;;
  esac
${startOfPlace}
${table(completion)}
  case "$paths" in
    files) _files ;;
    folders) _files -/ ;;
    *) compadd -- \${=offered} ;;
  esac
}
if [[ "\${funcstack[1]}" = _fairlead ]]; then _fairlead "$@"; else compdef _fairlead fairlead; fi
`
}
