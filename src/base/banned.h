/* Functions that have hurt others. The build includes this in every file of ours. */
#ifndef TY_BASE_BANNED_H
#define TY_BASE_BANNED_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#pragma GCC poison strcpy strcat strncpy strncat sprintf vsprintf strtok atoi atol atoll strerror  \
    localtime gmtime ctime asctime system gets
#endif
