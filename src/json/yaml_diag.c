/* Translates libfyaml's diagnostics, which use the terms of YAML's grammar, into messages for
 * authors of manifests. */
#include "json/yaml_inner.h"

/* The first row whose text occurs in the message applies. */
static const struct {
    const char *message, *say;
} sayings[] = {
    { "tab", "a tab cannot indent YAML; use spaces" },
    { "nested block mapping on the same line", "a second \": \" on one line; put the value in "
                                               "quotes, or the inner key on a line of its own" },
    { "block sequence on the same line as a mapping key",
      "a list cannot start on its key's line; put \"- \" on the next line, or the text in quotes" },
    { "without closing quote", "this quote is never closed" },
    { "plain scalar cannot start with '%'", "a value cannot start with %; put it in quotes" },
    { "plain scalar cannot start with '@'", "a value cannot start with @; put it in quotes" },
    { "plain scalar cannot start with '`'", "a value cannot start with `; put it in quotes" },
    { "invalid indentation in mapping",
      "this key is indented neither as the keys above it nor as a key inside the last of them" },
    { "indent for mapping", "this line is not indented as the others of its mapping" },
    { "indent for sequence", "this line is not indented as the others of its list" },
    { "wrongly indented sequence item", "this \"- \" is not indented as the others of its list" },
    { "sequence while in mapping", "this \"- \" is not indented as the others of its list" },
    { "invalid scalar at the end of block sequence",
      "the lines before are a list, but this one does not start with \"- \"" },
    { "did not find expected '-' indicator",
      "the lines before are a list, but this one does not start with \"- \"" },
    { "invalid value after mapping", "this is no \"key: value\", but the lines before are" },
    { "could not find expected ':'", "this is no \"key: value\", but the lines before are" },
    { "missing ':'", "this is no \"key: value\", but the lines before are" },
    { "did not find expected key", "a \"key: value\" was expected here" },
    { "did not find expected node content", "a value is missing here" },
    { "block sequence entries not allowed", "a list item cannot stand here" },
    { "invalid mapping in plain multiline",
      "a \": \" inside a text of several lines; put the text in quotes or check the indentation" },
    { "invalid multiline", "a key must be on one line" },
    { "missing comma in flow", "a comma is missing between two items" },
    { "extra comma", "a comma without an item before it" },
    { "comma in the beginning", "a comma without an item before it" },
    { "extra closing", "a closing bracket without an opening one" },
    { "mismatched flow", "this bracket does not close the one that is open" },
    { "without a closing bracket", "a bracket is not closed" },
    { "trailing content after", "text after the closing quote; quote all of it or none" },
    { "undefined tag prefix", "a tag with an unknown prefix" },
    { "low surrogate", "half of a surrogate pair is no character" },
    { "invalid UTF8 escape", "this escape means no character" },
    { "two anchors", "a value can have one anchor only" },
    { "missing document start", "a second document must start with ---" },
    { "after document end marker", "nothing may follow ... on its line" },
    { "directive", "this line starting with % is no directive of YAML" },
    { "version", "this line starting with % is no directive of YAML" },
};

const char *ty_yaml_diag_text(struct ty_arena *a, const char *message)
{
    for (size_t i = 0; i < TY_COUNT(sayings); i++)
        if (strstr(message, sayings[i].message))
            return sayings[i].say;
    char *copy = ty_arena_strdup(a, message);
    for (char *p = copy; *p; p++)
        if ((unsigned char)*p < 0x20)
            *p = ' ';
    return copy;
}
