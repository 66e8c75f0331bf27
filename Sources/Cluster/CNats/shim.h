#if __has_include(<nats/nats.h>)
#include <nats/nats.h>
#else
#error "The trait NATS needs libnats: apt-get install libnats-dev, or brew install cnats. Or build without the trait."
#endif
