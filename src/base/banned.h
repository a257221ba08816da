/* Functions that must not be used. The build includes this header in every source file. */
#ifndef TY_BASE_BANNED_H
#define TY_BASE_BANNED_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#pragma GCC poison strcpy strcat strncpy strncat sprintf vsprintf strtok atoi atol atoll strerror  \
    localtime gmtime ctime asctime system gets
#endif
