#include "report/mask_secrets_testing.h"

static void sentences(void **state TY_UNUSED)
{
    static const struct mask_row rows[] = {
        { "the password is hunter2", "the password is ***" },
        { "password was Tr0ub4dor&3, sorry", "password was *** sorry" },
        { "DB_PASSWORD is swordfish for bob", "DB_PASSWORD is *** for bob" },
        { "your passphrase is: 'correct horse' ok", "your passphrase is: '***' ok" },
        { "password is \"a b\"", "password is \"***\"" },
        { "Password is 123456.", "Password is ***" },
    };
    static const char *const shown[] = {
        "required",
        "None",
        "None.",
        "missing",
        "invalid!",
        "too short",
        "not set",
        "(empty)",
        "case-sensitive",
        "REQUIRED",
        "expired: renew",
        "8 characters long",
        "required, or",
        "in use",
        "the same",
        "incorrect",
        "unavailable",
        "<unset>",
        "",
    };

    for (size_t i = 0; i < TY_COUNT(rows); i++)
        check_row(&rows[i]);
    for (size_t i = 0; i < TY_COUNT(shown); i++) {
        char text[64];
        for (int k = 0; k < 2; k++) {
            snprintf(text, sizeof(text), "the password %s %s", k ? "is" : "was", shown[i]);
            check_row(&(struct mask_row){ text, NULL });
        }
    }
    check_row(&(struct mask_row){ "password isolated1 wash2 password is_valid1", NULL });
    check_row(&(struct mask_row){ "token is abc12345, secret was x1, a pass is done2", NULL });
    check_row(&(struct mask_row){ "KeyError: 'password' is gone2", NULL });
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(sentences) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
