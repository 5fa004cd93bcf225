# The table of scripts/make-completions as a completion of fish.

function quoted(text) {
    sub(/:$/, "", text)
    gsub(/\\/, "\\\\", text)
    gsub(/'/, "\\'", text)
    return "'" text "'"
}

# When the options of OWNER_NAME are for now.
function condition(owner_name) {
    return owner_name == "*" ? "" : " -n '__fish_seen_subcommand_from " owner_name "'"
}

function value_part(i) {
    if (value[i] == "-")
        return ""
    if (choices[i] != "-" && value[i] == "LIST")
        return " -x -a \"(__fish_append , (string split ' ' " quoted(choices[i]) "))\""
    if (choices[i] != "-")
        return " -x -a " quoted(choices[i])
    return value[i] ~ /^(FILE|PATH|PATTERN|BEFORE)$/ ? " -r -F" : " -x"
}

BEGIN {
    print "# Completion of " name " for fish, made by scripts/make-completions."
}
$1 == "command" {
    if (!has_commands++)
        print "complete -c " name " -f"
    print "complete -c " name " -n __fish_use_subcommand -a " $2 " -d " quoted($4)
    if ($3 == "FILE")
        print "complete -c " name " -n '__fish_seen_subcommand_from " $2 "' -F"
    if ($3 == "COMMAND")
        print "complete -c " name " -n '__fish_seen_subcommand_from " $2 "' -x -a '(__fish_complete_subcommand)'"
}
$1 == "option" {
    letter = $3; value[NR] = $5; choices[NR] = $6
    print "complete -c " name condition($2) (letter != "-" ? " -s " letter : "") " -l " $4 value_part(NR) " -d " quoted($7)
}
