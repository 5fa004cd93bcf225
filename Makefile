# profd: make, make demo, make check, make install. `make help` lists all targets.
#
#   V=1          show commands
#   SAN=LIST     build with sanitizers (address,undefined or thread) in a folder of its own
#   PREFIX=DIR   where `make install` puts things (DESTDIR is honoured)

PREFIX  ?= /usr/local
VERSION := 0.1.0
comma   := ,
B       := build/$(if $(SAN),$(subst $(comma),-,$(SAN)),plain)
Q       := $(if $(V),,@)

CC       ?= cc
CFLAGS   ?= -O2 -g
WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Werror
BASE     := -std=gnu11 -I. -D_GNU_SOURCE -DPROFD_VERSION='"$(VERSION)"' -fPIC -fno-omit-frame-pointer \
            -pthread $(WARNINGS)
SANITIZE := $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all)

sources = $(wildcard $(1:%=%/*.c))
objs    = $(patsubst %.c,$(B)/obj/%.o,$(call sources,$(1)))
MAINS   := $(B)/obj/daemon/main.o $(B)/obj/daemon/salvage_main.o $(B)/obj/profctl/main.o
ROOMS   := $(B)/obj/rooms.a

PROGRAMS := $(B)/bin/profd $(B)/bin/profctl $(B)/libexec/profd-salvage
LIBRARY  := $(B)/lib/libprofd.so $(B)/lib/libprofd.a
UNIT     := $(patsubst tests/unit/%.c,$(B)/tests/%,$(wildcard tests/unit/test_*.c))

.PHONY: all
all: $(PROGRAMS) $(LIBRARY)

$(B)/obj/child-agent/%.o: OWN := -fvisibility=hidden -ftls-model=initial-exec -Ichild-agent/include

$(B)/obj/%.o: %.c
	$(Q)mkdir -p $(@D) && echo '  CC    $<' && \
	$(CC) $(BASE) $(CFLAGS) $(SANITIZE) $(OWN) -MMD -MP -c $< -o $@

# Everything but the mains; what a program or test does not use stays out of it.
$(ROOMS): $(filter-out $(MAINS),$(call objs,buffer json ipc child-agent daemon profctl))
	$(Q)rm -f $@ && echo '  AR    $@' && $(AR) rcs $@ $^

$(B)/bin/profd: $(B)/obj/daemon/main.o $(ROOMS)
$(B)/libexec/profd-salvage: $(B)/obj/daemon/salvage_main.o $(ROOMS)
$(B)/bin/profctl: $(B)/obj/profctl/main.o $(ROOMS)
$(B)/bin/profd: LIBS := -luv -lmsgpackc -lcjson
$(B)/libexec/profd-salvage: LIBS :=
$(B)/bin/profctl: LIBS := -luv -lmsgpackc -lcjson -ldw -lelf -lz -lstdc++

$(PROGRAMS):
	$(Q)mkdir -p $(@D) && echo '  LD    $@' && $(CC) $(CFLAGS) $(SANITIZE) -pthread $^ $(LIBS) -o $@

# msgpack-c goes into the library, hidden, so that it can't meet the program's own copy.
$(B)/lib/libprofd.so: $(filter-out %/connection.o,$(call objs,child-agent buffer json ipc))
	$(Q)mkdir -p $(@D) && echo '  LD    $@' && $(CC) $(CFLAGS) $(SANITIZE) -pthread -shared -Wl,-z,defs \
	-Wl,-soname,libprofd.so -Wl,--exclude-libs,ALL -Wl,--version-script=child-agent/libprofd.map \
	$^ -l:libmsgpackc.a -ldl -o $@

$(B)/tests/%: tests/unit/%.c $(ROOMS)
	$(Q)mkdir -p $(@D) && echo '  TEST  $@' && \
	$(CC) $(BASE) $(CFLAGS) $(SANITIZE) -Ichild-agent/include -MMD -MP $< $(ROOMS) \
	$(shell pkg-config --libs check) -luv -lmsgpackc -lcjson -ldw -lelf -lz -lstdc++ -ldl -o $@

-include $(shell find $(B) -name '*.d' 2>/dev/null)
