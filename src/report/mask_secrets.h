/* Replaces what looks like a credential by "***", for log lines that leave the reach of those who
 * may read the log: events and conditions. By pattern, so a help and not a guarantee. Pure. */
#ifndef TY_REPORT_MASK_SECRETS_H
#define TY_REPORT_MASK_SECRETS_H

#include "base/buf.h"

/* Appends `text` to `out` with these replaced:
 *   tokens with a known prefix   hf_…, ghp_…, github_pat_…, glpat-…, AKIA…, AIza…, xoxb-…, sk-…
 *   JSON Web Tokens              eyJ….eyJ….…
 *   Authorization headers        "Authorization: Bearer ***", and "Basic ***" alone
 *   arguments of curl            -u user:password, --user user:password
 *   arguments of other programs  mysql -p…, sshpass -p …, redis-cli -a …
 *   values of such keys          password, passwd, secret, token, api_key, access_key … as KEY=…,
 *                                KEY: …, "KEY": "…", --KEY …, <KEY>…, also in JSON inside of JSON
 *   passwords in sentences       password "…", password is …, passphrase was …
 *   user information of URLs     "***" for user:password in front of @host
 *   PEM blocks of private keys   -----BEGIN … PRIVATE KEY----- to its end, or the end of the text
 * All other bytes are copied. Masking what is masked changes nothing. Time is linear in the text;
 * the result has at most 3 bytes for each 2 of the text, and 3 more. */
void ty_mask_secrets(struct ty_str text, struct ty_buf *out);

#endif
