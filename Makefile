# Thin front for people; Meson and Ninja do the work.
BUILD      ?= build
TESTBUILD  ?= build-test
.PHONY: all
all: $(BUILD)/build.ninja
	@ninja -C $(BUILD)
# Reconfigure when the list of sources changes: Meson reads it only at setup.
$(BUILD)/build.ninja: $(shell tools/sources | sha256sum | cut -c1-16 | sed 's,^,build-sources-,;s,.*,,')
	@meson setup --wipe $(BUILD) -Dbuildtype=release >/dev/null 2>&1 || meson setup $(BUILD) -Dbuildtype=release
