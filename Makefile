# profd: make, make demo, make check, make install. `make help` lists all targets.
#
#   V=1          show commands
#   SAN=LIST     build with sanitizers (address,undefined or thread) in a folder of its own
#   DEBUG=1      the agent checks its locks; in a folder of its own
#   T=NAMES      check only these tests: T=lives, T='test_clock test_r*'
#   PREFIX=DIR   where `make install` puts things (DESTDIR is honoured)
#   LIBDIR=DIR   where it puts the libraries: a folder within PREFIX

PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX)/lib
# The one place of the version; ~ is how Debian says that it is before the one that follows.
VERSION := $(subst ~,-,$(shell sed -n '1s/.*(\(.*\)).*/\1/p' debian/changelog))
comma   := ,
# Programs find the libraries from where they are themselves, in a build as when they are installed.
LIBRARIES := $(patsubst $(PREFIX)/%,%,$(LIBDIR))
ifneq ($(filter /% ../% %/..,$(LIBRARIES)),)
$(error LIBDIR has to be a folder within PREFIX, and $(LIBDIR) is not in $(PREFIX))
endif
B       := build/$(if $(SAN),$(subst $(comma),-,$(SAN)),$(if $(DEBUG),debug,plain))$(patsubst %,-%,$(subst /,-,$(filter-out lib,$(LIBRARIES))))
L       := $(B)/$(LIBRARIES)
SONAME  := libprofd.so.1
Q       := $(if $(V),,@)
say      = $(if $(V),:,printf '  %-5s %s\n' $(1) $(2))

CC       ?= cc
CFLAGS   ?= -O2 -g
WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Werror
BASE     := -std=gnu11 -I. -D_GNU_SOURCE -DPROFD_VERSION='"$(VERSION)"' -fPIC -fno-omit-frame-pointer \
            -pthread $(WARNINGS) $(if $(SAN)$(DEBUG),-DPROFD_CHECK_LOCKS)
SANITIZE := $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all)
COMPILE   = $(CC) $(BASE) $(CPPFLAGS) $(CFLAGS) $(SANITIZE) $(OWN) -MMD -MP

# --- What there is: folders are listed, not files ---

objs    = $(patsubst %.c,$(B)/obj/%.o,$(wildcard $(1:%=%/*.c) $(1:%=%/*/*.c)))
each    = $(patsubst $(1)/%.c,$(B)/$(2)/%,$(wildcard $(1)/$(3)*.c))

PROGRAMS := $(B)/bin/profd $(B)/bin/profctl $(B)/libexec/profctl-http $(B)/libexec/profd-salvage $(B)/libexec/profd-keeper
LIBRARY  := $(L)/libprofd.so $(L)/libprofd.a $(L)/profd/libprofd-malloc.so
COMPLETIONS := $(foreach shell,bash zsh fish,$(B)/completions/$(shell)/profd $(B)/completions/$(shell)/profctl)
PREFORK  := $(B)/examples/prefork $(B)/examples/prefork-load
EXAMPLES := $(PREFORK) $(B)/examples/event-loop
UNIT     := $(call each,tests/unit,tests,test_)
# ThreadSanitizer changes the stacks that test_unwinder makes, holds back the signals by which
# test_unwinder_steps steps through itself, and knows neither the locks of test_named_mutex that have a
# deadline nor those that a fork makes free.
ifeq ($(SAN),thread)
UNIT     := $(filter-out %/test_unwinder %/test_unwinder_steps %/test_named_mutex,$(UNIT))
endif
SYSTEM   := $(wildcard tests/system/test_*.sh)
HELPERS  := $(call each,tests/system/programs,tests/programs)
# The comparison with LTTng needs its headers; everything else is always there.
BENCHES  := $(filter-out $(if $(wildcard /usr/include/*/lttng/tracepoint.h),,%/program_lttng),$(call each,tests/bench,bench))

MAINS     := $(B)/obj/daemon/main.o $(B)/obj/daemon/capture/salvage_main.o $(B)/obj/daemon/keeping/keeper_main.o \
             $(B)/obj/profctl/main.o $(B)/obj/profctl/http_commands.o
# These change the program that they are linked into, so they are in the library only.
MALLOC_HOOKS := $(call objs,child-agent/malloc_hooks)
INTERPOSED := $(filter $(B)/obj/child-agent/interpose/interpose_%,$(call objs,child-agent/interpose))
# Where library and archive differ in how programs reach the agent.
IN_LIBRARY := $(filter $(B)/obj/child-agent/front/library_%,$(call objs,child-agent/front))
IN_ARCHIVE := $(filter $(B)/obj/child-agent/front/archive_%,$(call objs,child-agent/front))
INTRUDERS := $(MALLOC_HOOKS) $(INTERPOSED) $(IN_LIBRARY) $(IN_ARCHIVE)
SHARED    := $(B)/obj/shared.a
ARCHIVES  := $(patsubst %,$(B)/obj/%.a,child-agent daemon profctl tests/reference)

UV        := -luv
MESSAGES  := -lmsgpackc
CJSON     := -lcjson
HTTP      := -lmicrohttpd
PROTOBUF  := -lprotobuf-c
SANDBOX   := -lseccomp
SERVICE   := -lsystemd
DISASSEMBLY := -lcapstone
EXPORT    := -lcurl -lxxhash
SYMBOLS   := -ldw -lelf -lz -liberty -lm
ALL_LIBS  := $(SERVICE) $(UV) $(MESSAGES) $(CJSON) $(HTTP) $(PROTOBUF) $(SANDBOX) $(SYMBOLS) $(DISASSEMBLY) $(EXPORT) -ldl

.PHONY: all help demo test-programs check check-asan check-tsan check-unit check-arrows bench format lint install uninstall dist deb last-version clean FORCE
all: $(PROGRAMS) $(LIBRARY) $(COMPLETIONS) ## programs and library, in build/plain
	@:

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | sort | awk -F'\t' '{printf "  %-12s %s\n", $$1, $$2}'

# --- Objects and archives ---

# What the agent is made of. Each function has a section of its own, so that they can be put in order, and calls
# the C library without a stub, which would be on a page of its own.
IN_AGENT := -fvisibility=hidden -ffunction-sections -fno-plt

$(B)/obj/child-agent/%.o: OWN := $(IN_AGENT) -ftls-model=initial-exec -Ichild-agent/include
# A compiler that knows what malloc does would take the hooks for mistakes.
$(MALLOC_HOOKS): CFLAGS += -fno-builtin -foptimize-sibling-calls
# Called at every allocation while they are counted; unwound by tables.
$(MALLOC_HOOKS) $(B)/obj/child-agent/allocations/allocation_counter.o: BASE += -fomit-frame-pointer
$(B)/obj/common/%.o $(B)/obj/buffer/%.o $(B)/obj/json/%.o $(B)/obj/ipc/%.o: OWN := $(IN_AGENT) -I$(B)/made

# What protobuf-c makes of the formats of others.
PROTOCOLS := $(patsubst %.proto,$(B)/made/%.pb-c.c,$(wildcard profctl/*/*.proto))
$(B)/made/%.pb-c.c: %.proto
	$(Q)mkdir -p $(B)/made && $(call say,PROTO,$<) && protoc-c --c_out=$(B)/made $<
$(B)/obj/%.pb-c.o: $(B)/made/%.pb-c.c
	$(Q)mkdir -p $(@D) && $(call say,CC,$<) && $(COMPILE) -I$(B)/made -c $< -o $@
$(call objs,profctl): | $(PROTOCOLS)

# The page that `profctl convert` puts a capture into, as a C file.
PAGE := $(B)/made/page_template.c
$(PAGE): scripts/make-page $(wildcard profctl/page/*)
	$(Q)mkdir -p $(@D) && $(call say,PAGE,profctl/page) && scripts/make-page profctl/page/page.html >$@.new && mv $@.new $@
$(B)/obj/%.o: $(B)/made/%.c
	$(Q)mkdir -p $(@D) && $(call say,CC,$<) && $(COMPILE) -c $< -o $@
$(B)/obj/profctl/convert/%.o $(B)/obj/profctl/push/%.o: OWN := -I$(B)/made

# What else a build is made of: only the files that say so are compiled again when that changes.
# A tarball has the commit in scripts/commit, where git puts it.
BUILD_FACTS := $(B)/made/build_facts_made.h
$(BUILD_FACTS): FORCE
	$(Q)mkdir -p $(@D) && scripts/make-build-facts '$(CC)' '$(LIBRARIES)' '$(SONAME)' >$@.new && \
	if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
$(B)/obj/ipc/build_facts.o $(B)/obj/daemon/paths.o: | $(BUILD_FACTS)
$(B)/obj/daemon/paths.o: OWN := -I$(B)/made

$(B)/obj/%.o: %.c
	$(Q)mkdir -p $(@D) && $(call say,CC,$<) && $(COMPILE) -c $< -o $@

# What agent, daemon and profctl share, and each of them without main: what a program or test does not
# use stays out of it. (q, not r: files of one name in two folders are both kept.)
$(SHARED): $(call objs,common buffer json ipc)
$(B)/obj/child-agent.a: $(filter-out $(INTRUDERS),$(call objs,child-agent))
$(B)/obj/daemon.a: $(filter-out $(MAINS),$(call objs,daemon))
$(B)/obj/profctl.a: $(filter-out $(MAINS),$(call objs,profctl)) $(PROTOCOLS:$(B)/made/%.c=$(B)/obj/%.o) $(PAGE:$(B)/made/%.c=$(B)/obj/%.o)
$(B)/obj/tests/reference.a: $(call objs,tests/reference)
$(SHARED) $(ARCHIVES):
	$(Q)mkdir -p $(@D) && rm -f $@.new && $(call say,AR,$@) && $(AR) qcs $@.new $^ && mv $@.new $@

# --- Programs ---

$(B)/bin/profd: $(B)/obj/daemon/main.o $(B)/obj/daemon.a $(SHARED)
$(B)/libexec/profd-salvage: $(B)/obj/daemon/capture/salvage_main.o $(B)/obj/daemon.a $(SHARED)
$(B)/libexec/profd-keeper: $(B)/obj/daemon/keeping/keeper_main.o $(B)/obj/daemon.a $(SHARED)
# http_commands.o has the commands that speak HTTP become profctl-http, whose libraries take long to load.
$(B)/bin/profctl: $(B)/obj/profctl/main.o $(B)/obj/profctl/http_commands.o $(B)/obj/profctl.a $(SHARED)
$(B)/libexec/profctl-http: $(B)/obj/profctl/main.o $(B)/obj/profctl.a $(SHARED)
$(B)/bin/profd: LIBS := $(UV) $(MESSAGES) $(CJSON) $(HTTP) $(SERVICE)
$(B)/libexec/profd-salvage: LIBS := $(SANDBOX)
$(B)/bin/profctl: LIBS := $(UV) $(MESSAGES) $(CJSON) $(PROTOBUF) $(SYMBOLS)
$(B)/libexec/profctl-http: LIBS := $(UV) $(MESSAGES) $(CJSON) $(PROTOBUF) $(SYMBOLS) $(HTTP) $(DISASSEMBLY) $(EXPORT)

$(PROGRAMS):
	$(Q)mkdir -p $(@D) && $(call say,LD,$@) && $(CC) $(CFLAGS) $(SANITIZE) $(LDFLAGS) -pthread $^ $(LIBS) -o $@

# What completes their command lines, made of their own help.
define COMPLETE
$$(B)/completions/$(1)/%: $$(B)/bin/% scripts/make-completions $$(wildcard scripts/completions/*)
	$$(Q)mkdir -p $$(@D) && $$(call say,SHELL,$$@) && scripts/make-completions $(1) $$< >$$@.new && mv $$@.new $$@
endef
$(foreach shell,bash zsh fish,$(eval $(call COMPLETE,$(shell))))

# --- The agent library: always without sanitizers, since it enters programs that have none ---

# What the agent maps is none of the program's.
OWN_MAPPINGS := -Wl,--wrap=mmap,--wrap=munmap,--wrap=mremap,--wrap=madvise

# A script for the linker, GNU ld or lld. The functions that most processes run come before the others, with
# those of the compiler's own start files; large variables (common/apart.h) come in a section behind the small
# ones, since some of them have to begin with a page, which would push the small ones to one of their own.
OFTEN := $(B)/made/libprofd-often.ld
$(OFTEN): child-agent/libprofd.often Makefile
	$(Q)mkdir -p $(@D) && { echo 'SECTIONS { .text.often : { *crtbegin*.o(.text)' && \
	sed -n 's/^\([a-z_].*\)/  *(.text.\1 .text.\1.*)/p' $< && echo '} } INSERT BEFORE .text;' && \
	echo 'SECTIONS { .bss.apart : { *(.bss.large) } } INSERT AFTER .bss;'; } >$@.new && mv $@.new $@

ifeq ($(SAN),)
# msgpack-c goes in, hidden, so that it cannot meet the program's own copy. The library calls its own
# functions, also where a program exports some of the same names. Headers and constants are with the code: two
# mappings less for each process.
$(L)/$(SONAME): $(filter-out $(MALLOC_HOOKS) $(IN_ARCHIVE),$(call objs,child-agent)) $(SHARED) child-agent/libprofd.map $(OFTEN)
	$(Q)mkdir -p $(@D) && $(call say,LD,$@) && $(CC) $(CFLAGS) $(LDFLAGS) -pthread -shared -Wl,-z,defs -Wl,-z,now \
	-Wl,-soname,$(SONAME) -Wl,-z,nodelete -Wl,--exclude-libs,ALL -Wl,-Bsymbolic-functions -Wl,--sort-section=name \
	-Wl,-T,$(OFTEN) -Wl,-z,noseparate-code -Wl,--version-script=child-agent/libprofd.map \
	$(filter %.o %.a,$^) $(OWN_MAPPINGS) -l:libmsgpackc.a -ldl -o $@
$(L)/libprofd.so: $(L)/$(SONAME)
	$(Q)ln -sf $(SONAME) $@

# The hooks of malloc, for programs whose allocations somebody wants to know. It needs no other library.
$(L)/profd/libprofd-malloc.so: $(MALLOC_HOOKS) child-agent/libprofd-malloc.map
	$(Q)mkdir -p $(@D) && $(call say,LD,$@) && $(CC) $(CFLAGS) $(LDFLAGS) -pthread -shared -Wl,-z,defs -Wl,-z,now \
	-Wl,-soname,libprofd-malloc.so -Wl,-z,nodelete -Wl,-Bsymbolic \
	-Wl,--version-script=child-agent/libprofd-malloc.map $(filter %.o,$^) -ldl -o $@

# One object whose only global names are the API's. It interposes nothing: a program that links it
# registers its threads by call. The API's functions are those of the front; the agent's own go by
# another name there (child-agent/front/agent_calls.h).
$(L)/libprofd.a: $(filter-out $(MALLOC_HOOKS) $(INTERPOSED) $(IN_LIBRARY),$(call objs,child-agent)) $(SHARED)
	$(Q)mkdir -p $(@D) && $(call say,AR,$@) && rm -f $@ && \
	$(CC) -nostdlib -r $(filter-out $(IN_ARCHIVE),$^) $(OWN_MAPPINGS) -l:libmsgpackc.a -o $(B)/obj/own.o && \
	nm --defined-only $(B)/obj/own.o | sed -n 's/.* T \(profd_.*\)/\1 own_\1/p' >$(B)/obj/own.names && \
	objcopy --redefine-syms=$(B)/obj/own.names $(B)/obj/own.o && \
	$(CC) -nostdlib -r $(B)/obj/own.o $(IN_ARCHIVE) -o $(B)/obj/profd.o && \
	objcopy --wildcard --keep-global-symbol='profd_*' $(B)/obj/profd.o && $(AR) rcs $@ $(B)/obj/profd.o
else
$(LIBRARY) $(L)/$(SONAME): $(B)/%: build/plain/%
	$(Q)mkdir -p $(@D) && cp -d $< $@
$(L)/libprofd.so: $(L)/$(SONAME)
build/plain/$(LIBRARIES)/%: FORCE
	$(Q)$(MAKE) --no-print-directory SAN= $@
endif
FORCE:

# --- Examples ---

$(B)/examples/prefork: $(filter-out %/load.o,$(call objs,examples/prefork)) $(L)/libprofd.so
$(B)/examples/prefork-load: $(B)/obj/examples/prefork/load.o
$(B)/obj/examples/%.o: OWN := -Ichild-agent/include
$(B)/examples/prefork: LIBS := -L$(L) -Wl,-rpath,'$$ORIGIN/../$(LIBRARIES)' -lprofd
$(B)/examples/event-loop: $(call objs,examples/event_loop) $(L)/libprofd.so
$(B)/examples/event-loop: LIBS := -L$(L) -Wl,-rpath,'$$ORIGIN/../$(LIBRARIES)' -lprofd $(UV)

$(EXAMPLES):
	$(Q)mkdir -p $(@D) && $(call say,LD,$@) && \
	$(CC) $(CFLAGS) $(SANITIZE) -pthread $(filter %.o,$^) $(LIBS) -o $@

demo: ## profile two real programs into demo/ (installs missing packages first)
	$(Q)scripts/bootstrap && $(MAKE) --no-print-directory all $(PREFORK) && scripts/demo $(B)

# --- Tests ---

# A test is linked with the rooms whose headers it includes, so that it meets no other's names.
rooms_of = $(patsubst %/,$(B)/obj/%.a,$(shell grep -ohE '"(tests/reference|child-agent|daemon|profctl)/' $(1) | \
           tr -d '"' | sort -ru)) $(SHARED)

$(B)/tests/%: tests/unit/%.c $(ARCHIVES) $(SHARED)
	$(Q)mkdir -p $(@D) && $(call say,TEST,$@) && $(COMPILE) -Ichild-agent/include -I$(B)/made $< $(call rooms_of,$<) \
	-lcheck_pic -lsubunit -lm $(ALL_LIBS) -o $@

# With gaps between its segments, as programs for large pages have.
$(addprefix $(B)/tests/test_,modules module_entry module_changes): ALL_LIBS += -Wl,-z,max-page-size=0x200000

# Programs that are profiled by the system tests, or look at captures for them.
$(B)/tests/programs/%: tests/system/programs/%.c $(L)/libprofd.so
	$(Q)mkdir -p $(@D) && $(call say,TEST,$@) && $(CC) $(BASE) -g -O1 -Ichild-agent/include -MMD -MP $< \
	-L$(L) -Wl,-rpath,'$$ORIGIN/../../$(LIBRARIES)' -Wl,--as-needed -lprofd $(CJSON) $(MESSAGES) -lm -o $@

$(B)/tests/programs/uv_%: tests/system/programs/uv_%.c $(L)/libprofd.so
	$(Q)mkdir -p $(@D) && $(call say,TEST,$@) && $(CC) $(BASE) -g -O1 -Ichild-agent/include -MMD -MP $< \
	-L$(L) -Wl,-rpath,'$$ORIGIN/../../$(LIBRARIES)' -lprofd $(UV) -o $@

# They speak the protocol as profd's own agents do.
$(addprefix $(B)/tests/programs/,liar clocked asks): $(B)/tests/programs/%: tests/system/programs/%.c $(SHARED)
	$(Q)mkdir -p $(@D) && $(call say,TEST,$@) && $(COMPILE) $< $(SHARED) $(ALL_LIBS) -o $@

# It reads what profctl sends by the same formats of others.
$(B)/tests/programs/fake_profile_store: tests/system/programs/fake_profile_store.c $(B)/obj/profctl.a $(SHARED)
	$(Q)mkdir -p $(@D) && $(call say,TEST,$@) && $(COMPILE) -I$(B)/made $< $(B)/obj/profctl.a $(SHARED) $(ALL_LIBS) -o $@

RUN_TESTS = scripts/run-tests $(if $(T),--only '$(T)') $(B)

# A build with sanitizers makes parts of the one without them in makes of their own, which would meet.
BUILD_JOBS = $(if $(SAN)$(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc))

check: ## all tests, or T=NAMES (T=lives, T='test_r* top'); the last line tells how many passed (installs missing packages first)
	$(Q)scripts/bootstrap && $(MAKE) --no-print-directory $(BUILD_JOBS) test-programs && \
	{ $(MAKE) --no-print-directory $(BUILD_JOBS) -s last-version || echo "test_upgrade is skipped: 0.1.0 cannot be built"; } && \
	$(RUN_TESTS) $(UNIT) scripts/check-arrows $(SYSTEM)

test-programs: all $(UNIT) $(HELPERS) $(EXAMPLES) $(BENCHES)
	@:

check-unit: $(UNIT) ## unit tests alone, or T=NAMES of them
	$(Q)$(RUN_TESTS) $(UNIT)

check-arrows: ## that files include only what their house and room may
	$(Q)scripts/check-arrows

check-asan: ## all tests with AddressSanitizer and UndefinedBehaviorSanitizer
	$(Q)$(MAKE) --no-print-directory check SAN=address,undefined

check-tsan: ## unit tests with ThreadSanitizer
	$(Q)$(MAKE) --no-print-directory check-unit SAN=thread

# program_*: runs in a session, with the library as users have it. bench_*: measures parts by themselves.
$(B)/bench/program_%: tests/bench/program_%.c $(L)/libprofd.so
	$(Q)mkdir -p $(@D) && $(call say,BENCH,$@) && $(COMPILE) -Ichild-agent/include $< \
	-L$(L) -Wl,-rpath,'$$ORIGIN/../$(LIBRARIES)' -Wl,--as-needed -lprofd $(LIBS) -o $@
$(B)/bench/program_lttng: LIBS := -llttng-ust

$(B)/bench/bench_%: tests/bench/bench_%.c $(ARCHIVES) $(SHARED)
	$(Q)mkdir -p $(@D) && $(call say,BENCH,$@) && $(COMPILE) -Ichild-agent/include $< $(call rooms_of,$<) \
	-Wl,--as-needed $(ALL_LIBS) -o $@

bench: all $(BENCHES) $(HELPERS) ## speed and size, each against something measured in the same run
	$(Q)scripts/bench $(B)

# --- Looking after the source ---

OURS = $(shell git ls-files '*.c' '*.h')

format: ## clang-format everything
	$(Q)scripts/need clang-format && clang-format -i $(OURS)

lint: all ## clang-tidy, cppcheck and shellcheck
	$(Q)scripts/lint $(OURS)

# --- Installing: relocatable, the installed copies find each other beside themselves ---

bindir     := $(DESTDIR)$(PREFIX)/bin
libexecdir := $(DESTDIR)$(PREFIX)/libexec
libdir     := $(DESTDIR)$(PREFIX)/$(LIBRARIES)
includedir := $(DESTDIR)$(PREFIX)/include
mandir     := $(DESTDIR)$(PREFIX)/share/man
MANUALS    := $(wildcard docs/man/*.[1-8])
# Pages have the version, and its date, from where they are installed: both are in debian/changelog.
MANUAL_DATE = $(shell date -u +%F -d "$$(sed -n 's/^ -- .*>  //p' debian/changelog | head -n 1)")
# Where a page goes is told by its ending.
manual      = $(mandir)/man$(patsubst .%,%,$(suffix $(1)))/$(notdir $(1))
HEADERS    := $(wildcard child-agent/include/*)
# What the compiler looks through anyway needs no flags; anything else is found from where profd.pc is.
PC_PREFIX  := $(if $(filter /usr,$(PREFIX)),/usr,$${pcfiledir}/$(shell echo $(LIBRARIES)/pkgconfig | sed 's|[^/][^/]*|..|g'))
PC_RPATH   := $(if $(filter /usr,$(PREFIX)),,-Wl,-rpath,$${libdir} )
sharedir   := $(DESTDIR)$(PREFIX)/share
# Where each shell looks for what completes the command line of a program. Debian's zsh has a folder for packages.
ZSH_FUNCTIONS ?= site-functions
completion_bash = $(sharedir)/bash-completion/completions/$(1)
completion_zsh  = $(sharedir)/zsh/$(ZSH_FUNCTIONS)/_$(1)
completion_fish = $(sharedir)/fish/vendor_completions.d/$(1).fish
installed_completion = $(call completion_$(notdir $(patsubst %/,%,$(dir $(1)))),$(notdir $(1)))

install: all ## into PREFIX (default /usr/local)
	$(Q)install -d $(bindir) $(libexecdir) $(libdir)/profd $(libdir)/pkgconfig $(includedir)
	$(Q)install -m 755 $(B)/bin/profd $(B)/bin/profctl $(bindir)
	$(Q)install -m 755 $(filter $(B)/libexec/%,$(PROGRAMS)) $(libexecdir)
	$(Q)install -m 644 $(L)/$(SONAME) $(L)/libprofd.a $(libdir) && ln -sf $(SONAME) $(libdir)/libprofd.so
	$(Q)install -m 644 $(L)/profd/libprofd-malloc.so $(libdir)/profd
	$(Q)install -m 644 $(HEADERS) $(includedir)
	$(Q)sed 's|@VERSION@|$(VERSION)|; s|@PREFIX@|$(PC_PREFIX)|; s|@LIBRARIES@|$(LIBRARIES)|; s|@RPATH@|$(PC_RPATH)|' \
	child-agent/profd.pc.in >$(libdir)/pkgconfig/profd.pc
	$(Q)chmod 644 $(libdir)/pkgconfig/profd.pc
	$(Q)$(foreach page,$(MANUALS),install -D -m 644 $(page) $(call manual,$(page)) &&) true
	$(Q)sed -i '/^\.TH /s/(date) "profd (unreleased)"/$(MANUAL_DATE) "profd $(VERSION)"/' $(foreach page,$(MANUALS),$(call manual,$(page)))
	$(Q)$(foreach file,$(COMPLETIONS),install -D -m 644 $(file) $(call installed_completion,$(file)) &&) true

uninstall: ## what install put there
	$(Q)rm -f $(bindir)/profd $(bindir)/profctl $(patsubst $(B)/libexec/%,$(libexecdir)/%,$(filter $(B)/libexec/%,$(PROGRAMS))) \
	$(libdir)/$(SONAME) $(libdir)/libprofd.so $(libdir)/profd/libprofd-malloc.so $(libdir)/libprofd.a \
	$(libdir)/pkgconfig/profd.pc $(HEADERS:child-agent/include/%=$(includedir)/%) $(foreach page,$(MANUALS),$(call manual,$(page))) \
	$(foreach file,$(COMPLETIONS),$(call installed_completion,$(file)))
	$(Q)rmdir $(libdir)/profd 2>/dev/null || true

# --- Giving away: both are made of what is committed, or of a tarball that was unpacked ---

dist: ## build/dist/profd-VERSION.tar.xz, the source
	$(Q)scripts/make-dist build/dist $(VERSION)

deb: dist ## Debian packages, in build/deb (installs missing packages first)
	$(Q)scripts/bootstrap --packaging && scripts/make-deb build/dist/profd-$(VERSION).tar.xz build/deb

# What test_upgrade meets: processes that began before an upgrade go on with the agent that they have. The commit is 0.1.0.
LAST_VERSION := 410e5f1
LAST_PROFD   := build/last-version/source/build/plain/bin/profd
last-version: $(LAST_PROFD) ## the version before this one, for test_upgrade
# In place of a header of 50,000 lines, which nearly all of its files include for one instruction: half the time.
$(LAST_PROFD):
	$(Q)rm -rf build/last-version && mkdir -p build/last-version/source build/last-version/include && \
	echo '#define __rdtsc() __builtin_ia32_rdtsc()' >build/last-version/include/x86intrin.h && \
	git archive -o build/last-version/source.tar $(LAST_VERSION) && \
	tar -x -C build/last-version/source -f build/last-version/source.tar && \
	$(MAKE) --no-print-directory -C build/last-version/source all SAN= DEBUG= \
	CFLAGS='-O2 -g -I$(CURDIR)/build/last-version/include' || { rm -rf build/last-version; false; }

clean: ## everything that was built
	$(Q)rm -rf build demo

-include $(shell find $(B) -name '*.d' 2>/dev/null)
