#if Caching || Cluster || HTTP
    package import DuetCaching

    extension CacheMemory {
        /// A memory of ten values in front of a store whose timeout does not end within a test.
        package static func stored(
            in store: any CacheStore,
            onError: @escaping @Sendable (CacheStoreFailure) -> Void = { _ in }
        ) -> CacheMemory {
            .memory(limit: .entries(10)).backed(by: store, timeout: .seconds(3_600), onError: onError)
        }
    }
#endif
