_trainyard() {
    local IFS=$'\n'
    COMPREPLY=($(trainyard complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -o nosort -F _trainyard trainyard
