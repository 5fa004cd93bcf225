# Help into the table of scripts/make-completions. A line "  -l, --long VALUE  help" is an option. Its choices are
# what help begins with, as in "a, b or c: …", or, where help ends with a colon, the words that begin the lines below.

function flush(    i) {
    for (i = 1; i <= count; i++)
        printf "option\t%s\t%s\t%s\t%s\t%s\t%s\n", command, letter[i], long[i], value, choices, help
    count = 0
}

# Takes "-l, --long" off LINE.
function take_name(line) {
    match(line, /--[a-z-]+/)
    long[++count] = substr(line, RSTART + 2, RLENGTH - 2)
    letter[count] = match(line, /^ *-[^-],/) ? substr(line, RSTART + RLENGTH - 2, 1) : "-"
    match(line, /--[a-z-]+/)
    return substr(line, RSTART + RLENGTH)
}

# "a, b or c" as "a b c".
function words_of(list) {
    gsub(/, | or /, " ", list)
    return list
}

/^ +(-[^-], )?--[a-z]/ {
    flush()
    value = choices = "-"
    help = "print this and end" # of --help, --version
    rest = take_name($0)
    while (rest ~ /^, --[a-z]/)
        rest = take_name(rest)
    if (match(rest, /^ [A-Z]+ /)) {
        value = substr(rest, 2, RLENGTH - 2)
        rest = substr(rest, RLENGTH)
    }
    sub(/^ +/, "", rest)
    if (rest != "")
        help = rest
    indent = 0
    if (value != "-" && match(rest, /^[a-z]+(, [a-z]+)* or [a-z]+/))
        choices = words_of(substr(rest, RSTART, RLENGTH))
    next
}

# The first choice tells how deep the others are.
count > 0 && match($0, /^ +[^ ]+  +[^ ]/) && help ~ /:$/ {
    match($0, /^ +/)
    if (indent == 0)
        indent = RLENGTH
    if (RLENGTH != indent)
        next
    choice = $1
    if (choice ~ /:/)
        sub(/:.*/, ":", choice)
    choices = choices == "-" ? choice : choices " " choice
    next
}

/^$/ || /^[^ ]/ { flush() }

END { flush() }
