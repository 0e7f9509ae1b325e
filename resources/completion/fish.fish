complete -c trainyard -a '(trainyard complete -- (commandline -opc)[2..-1] "$(commandline -ct)" 2>/dev/null)'
