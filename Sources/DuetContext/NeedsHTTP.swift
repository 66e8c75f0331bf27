// This module is under every one that a trait brings, but for DuetMacros. Its files that import a package are left out without
// the trait, because an import that fails would end the compilation before this is said.
#if !HTTP
    #error(
        "Duet's modules for HTTP need the trait HTTP, or one that brings it: .package(url: …, from: …, traits: [\"HTTP\"])"
    )
#endif
