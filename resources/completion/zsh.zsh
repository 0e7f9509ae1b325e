#compdef trainyard
_trainyard() {
    local -a candidates
    candidates=(${(f)"$(trainyard complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)"})
    if (( ${#candidates} )); then
        compadd -- "${candidates[@]}"
    else
        _files
    fi
}
if [[ "${funcstack[1]}" == _trainyard ]]; then
    _trainyard "$@"
else
    compdef _trainyard trainyard
fi
