#if canImport(Glibc)
    import Glibc
#endif

/// The memory of large allocations, such as the bytes of images.
enum LargeAllocations {
    /// Returns the memory of each one to the system when it is freed.
    ///
    /// By itself, glibc keeps up to 32 MiB for later: https://man7.org/linux/man-pages/man3/mallopt.3.html
    static func returnToSystem() {
        #if canImport(Glibc)
            // The header of `mallopt` has no module. Its options are a part of the binary interface.
            guard let symbol = unsafe dlsym(nil, "mallopt") else { return }
            typealias SetOption = @convention(c) (_ option: CInt, _ value: CInt) -> CInt
            let setOption = unsafe unsafeBitCast(symbol, to: SetOption.self)
            let mmapThreshold: CInt = -3
            _ = setOption(mmapThreshold, 131_072)
        #endif
    }
}
