# The table of scripts/make-completions as a completion of zsh.

# TEXT as it may stand in a specification of _arguments, within single quotes.
function quoted(text) {
    sub(/:$/, "", text)
    gsub(/\\/, "\\\\", text)
    gsub(/\[/, "\\[", text)
    gsub(/\]/, "\\]", text)
    gsub(/:/, "\\:", text)
    gsub(/'/, "'\\''", text)
    return text
}

# ":message:action" for the value of option I.
function value_part(i) {
    if (value[i] == "-")
        return ""
    if (choices[i] != "-" && value[i] == "LIST")
        return ":" value[i] ":_values -s , " value[i] " " choices[i]
    if (choices[i] != "-")
        return ":" value[i] ":(" colons(choices[i]) ")"
    if (value[i] ~ /^(FILE|PATH|PATTERN|BEFORE)$/)
        return ":" value[i] ":_files"
    return ":" value[i] ": "
}

function colons(text) {
    gsub(/:/, "\\:", text)
    return text
}

# The specifications of the options of OWNER_NAME.
function print_options(owner_name, indent,    i) {
    for (i = 1; i <= options; i++) {
        if (owner[i] != owner_name)
            continue
        if (letter[i] != "-")
            printf "%s'(-%s --%s)-%s[%s]%s' \\\n", indent, letter[i], long[i], letter[i], quoted(help[i]), value_part(i)
        printf "%s'%s--%s%s[%s]%s' \\\n", indent, letter[i] != "-" ? "(-" letter[i] " --" long[i] ")" : "",
               long[i], value[i] != "-" ? "=" : "", quoted(help[i]), value_part(i)
    }
}

function operand_part(what) {
    if (what == "FILE")
        return "'*:FILE:_files'"
    if (what == "COMMAND")
        return "'*::command:_normal'"
    return "'*: :'"
}

BEGIN { commands = options = 0 }
$1 == "command" { command[++commands] = $2; operand[commands] = $3; summary[commands] = $4 }
$1 == "option" {
    owner[++options] = $2
    letter[options] = $3
    long[options] = $4
    value[options] = $5
    choices[options] = $6
    help[options] = $7
}

END {
    print "#compdef " name
    print "# Completion of " name " for zsh, made by scripts/make-completions."
    print ""
    print "_" name "() {"
    if (commands == 0) {
        print "    _arguments -S \\"
        print_options("*", "        ")
        print "        " operand_part("COMMAND")
        print "}"
    } else {
        print "    local state line"
        print "    local -a commands=("
        for (i = 1; i <= commands; i++)
            printf "        '%s:%s'\n", command[i], quoted(summary[i])
        print "    )"
        print "    _arguments -C \\"
        print_options("*", "        ")
        print "        '1: :->command' \\"
        print "        '*:: :->arguments'"
        print "    case $state in"
        print "    command) _describe command commands ;;"
        print "    arguments) _" name "_arguments $line[1] ;;"
        print "    esac"
        print "}"
        print ""
        print "_" name "_arguments() {"
        print "    case $1 in"
        for (i = 1; i <= commands; i++) {
            print "    " command[i] ")"
            print "        _arguments -S \\"
            print_options(command[i], "            ")
            print_options("*", "            ")
            print "            " operand_part(operand[i])
            print "        ;;"
        }
        print "    esac"
        print "}"
    }
    print ""
    print "_" name " \"$@\""
}
