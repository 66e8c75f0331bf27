#if __has_include(<zlib.h>)
#include <zlib.h>
#else
#error "DuetHTTP needs zlib: apt-get install zlib1g-dev."
#endif
