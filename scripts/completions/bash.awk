# The table of scripts/make-completions as a completion of bash.

function words(command,    i, out) {
    for (i = 1; i <= options; i++) {
        if (owner[i] != command && owner[i] != "*")
            continue
        out = out (out == "" ? "" : " ") "--" long[i] (letter[i] != "-" ? " -" letter[i] : "")
    }
    return out
}

# What completes the value of option I.
function value_action(i) {
    if (choices[i] != "-")
        return "_" name "_list '" choices[i] "'"
    if (value[i] ~ /^(FILE|PATH|PATTERN|BEFORE)$/)
        return "_" name "_files"
    return "return"
}

function print_values(    i) {
    for (i = 1; i <= options; i++) {
        if (value[i] == "-")
            continue
        owner_pattern = owner[i] == "*" ? "*" : owner[i]
        printf "    %s:--%s", owner_pattern, long[i]
        if (letter[i] != "-")
            printf " | %s:-%s", owner_pattern, letter[i]
        printf ") %s ;;\n", value_action(i)
    }
}

# Options of every command that take a value, which is no command then.
function print_skips(    i) {
    for (i = 1; i <= options; i++)
        if (owner[i] == "*" && value[i] != "-")
            printf "        --%s%s) ((i++)) ;;\n", long[i], letter[i] != "-" ? " | -" letter[i] : ""
}

function print_operands(    i, all) {
    for (i = 1; i <= commands; i++) {
        all = all (i > 1 ? " " : "") command[i]
        printf "    %s:-*) _%s_words '%s' ;;\n", command[i], name, words(command[i])
        if (operand[i] == "FILE")
            printf "    %s:*) _%s_files ;;\n", command[i], name
    }
    printf "    *:-*) _%s_words '%s' ;;\n", name, words("*")
    if (commands > 0)
        printf "    -:*) _%s_words '%s' ;;\n", name, all
}

BEGIN { commands = options = 0 }
$1 == "command" { command[++commands] = $2; operand[commands] = $3 }
$1 == "option" {
    owner[++options] = $2
    letter[options] = $3
    long[options] = $4
    value[options] = $5
    choices[options] = $6
}

END {
    print "# Completion of " name " for bash, made by scripts/make-completions."
    print "# shellcheck shell=bash"
    print ""
    print "_" name "_words() {"
    print "    mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$current\")"
    print "}"
    print ""
    print "# The last word of a list with commas."
    print "_" name "_list() {"
    print "    local before="
    print "    [[ $current != *,* ]] || before=${current%,*},"
    print "    mapfile -t COMPREPLY < <(compgen -P \"$before\" -W \"$1\" -- \"${current##*,}\")"
    print "    [[ ${COMPREPLY[0]-} != *: ]] || compopt -o nospace 2>/dev/null"
    print "}"
    print ""
    print "_" name "_files() {"
    print "    compopt -o filenames 2>/dev/null"
    print "    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")"
    print "}"
    print ""
    print "# The command line of another program, from word $1 on."
    print "_" name "_other() {"
    print "    if declare -F _command_offset >/dev/null; then"
    print "        _command_offset \"$1\""
    print "    elif [ \"$1\" -eq \"$COMP_CWORD\" ]; then"
    print "        mapfile -t COMPREPLY < <(compgen -c -- \"$current\")"
    print "    else"
    print "        _" name "_files"
    print "    fi"
    print "}"
    print ""
    print "_" name "() {"
    print "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=- i"
    print "    COMPREPLY=()"
    print "    # \"--name=value\" is three words here."
    print "    if [ \"$current\" = = ]; then"
    print "        current="
    print "    elif [ \"$previous\" = = ]; then"
    print "        previous=${COMP_WORDS[COMP_CWORD - 2]}"
    print "    fi"
    print "    for ((i = 1; i < COMP_CWORD; i++)); do"
    print "        case ${COMP_WORDS[i]} in"
    print "        --)"
    print "            _" name "_other $((i + 1))"
    print "            return"
    print "            ;;"
    if (commands > 0)
        print_skips()
    print "        -* | =) ;;"
    if (commands > 0)
        print "        *) [ $command != - ] || command=${COMP_WORDS[i]} ;;"
    print "        esac"
    print "    done"
    print "    case $command:$previous in"
    print_values()
    print "    *) _" name "_operand ;;"
    print "    esac"
    print "}"
    print ""
    print "# Where no value is expected."
    print "_" name "_operand() {"
    print "    case $command:$current in"
    print_operands()
    print "    esac"
    print "}"
    print ""
    print "complete -F _" name " " name
}
