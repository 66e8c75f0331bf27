// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// A product that only the benchmarks of the Essential Feed need.
func feed(_ name: String, _ package: String = "duet") -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: ["Feed"]))
}

/// A product that only the benchmarks of a cluster need.
func cluster(_ name: String, _ package: String = "duet") -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: ["Cluster"]))
}

let duet = Target.Dependency.product(name: "Duet", package: "duet")
let dependencies = Target.Dependency.product(name: "DuetDependencies", package: "duet")

let package = Package(
    name: "duet-benchmarks",
    platforms: [.macOS(.v15)],
    traits: [
        .trait(
            name: "Feed",
            description: "Benchmarks of the Essential Feed. Without this trait, only the core is built."
        ),
        .trait(
            name: "Macros",
            description: "@Dispatcher, on swift-syntax. Without this trait, the same code is written out."
        ),
        .trait(
            name: "Caching",
            description: "Benchmarks of cached queries. The trait Feed includes them."
        ),
        .trait(name: "Instructions", description: "Benchmarks of instructions.sh."),
        .trait(name: "Cluster", description: "Benchmarks of a cluster on NATS, which need libnats."),
        .default(enabledTraits: ["Cluster", "Feed", "Macros"]),
    ],
    dependencies: [
        .package(
            name: "duet",
            path: "..",
            traits: [
                .trait(name: "Caching", condition: .when(traits: ["Caching"])),
                .trait(name: "NATS", condition: .when(traits: ["Cluster"])),
                .trait(name: "EssentialFeed", condition: .when(traits: ["Feed"])),
                .trait(name: "HTTP", condition: .when(traits: ["Instructions"])),
                .trait(name: "Macros", condition: .when(traits: ["Macros"])),
            ]
        ),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.100.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    ],
    targets: [
        // The handlers are in a separate module, so that no call to a handler can be inlined into its caller.
        .target(
            name: "DispatchSubjects",
            dependencies: [duet, dependencies],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "DispatchBenchmark",
            dependencies: [
                "DispatchSubjects", duet, dependencies,
                .product(name: "DuetMacros", package: "duet", condition: .when(traits: ["Macros"])),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "InstructionsBenchmark",
            dependencies: [
                duet,
                .product(name: "DuetCaching", package: "duet", condition: .when(traits: ["Instructions"])),
                .product(name: "DuetHTTP", package: "duet", condition: .when(traits: ["Instructions"])),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["Instructions"])),
            ],
            swiftSettings: settings
        ),
        .target(name: "Rounds", swiftSettings: settings),
        .executableTarget(
            name: "ContainerBenchmark",
            dependencies: ["Rounds", duet, dependencies],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "CachingBenchmark",
            dependencies: [
                "Rounds", duet,
                .product(name: "DuetCaching", package: "duet", condition: .when(traits: ["Caching", "Feed"])),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "InvalidationBenchmark",
            dependencies: ["Rounds", duet, feed("DuetCaching"), feed("DuetSQLite"), feed("GRDB", "GRDB.swift")],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "EvictionSimulator",
            dependencies: [
                "Rounds",
                duet,
                .product(name: "DuetCaching", package: "duet", condition: .when(traits: ["Caching", "Feed"])),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "StoresBenchmark",
            dependencies: [
                "Rounds", feed("DuetCaching"), feed("DuetSQLite"), feed("EssentialFeed"),
                feed("GRDBSQLite", "GRDB.swift"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "DecodingBenchmark",
            dependencies: ["Rounds", feed("EssentialFeed"), feed("HTTPTypes", "swift-http-types")],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "BackendBenchmark",
            dependencies: [
                duet, feed("DuetCaching"), feed("DuetHTTP"), feed("EssentialFeed"), feed("GRDB", "GRDB.swift"),
                feed("HTTPTypes", "swift-http-types"), feed("Hummingbird", "hummingbird"),
                feed("Logging", "swift-log"), feed("NIOCore", "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "PageBenchmark",
            dependencies: [
                "Rounds", feed("EssentialFeed"), feed("AsyncHTTPClient", "async-http-client"),
                feed("DuetDependencies"), feed("Hummingbird", "hummingbird"), feed("Logging", "swift-log"),
                feed("Mustache", "swift-mustache"), feed("NIOCore", "swift-nio"),
                feed("NIOFoundationCompat", "swift-nio"), feed("NIOHTTP1", "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "HTTPBenchmark",
            dependencies: [
                "Rounds", duet, dependencies, feed("AsyncHTTPClient", "async-http-client"),
                feed("CoreMetrics", "swift-metrics"), feed("Crypto", "swift-crypto"), feed("DuetAsyncHTTPClient"),
                feed("DuetCaching"), feed("DuetHTTP"), feed("DuetHummingbird"), feed("DuetTelemetry"),
                feed("HTTPTypes", "swift-http-types"), feed("Hummingbird", "hummingbird"),
                feed("Logging", "swift-log"), feed("NIOCore", "swift-nio"), feed("NIOFoundationCompat", "swift-nio"),
                feed("NIOHTTP1", "swift-nio"), feed("Tracing", "swift-distributed-tracing"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "HTTPCacheBenchmark",
            dependencies: [
                "Rounds", feed("DuetAsyncHTTPClient"), feed("DuetHTTP"), feed("DuetHTTPCaching"),
                feed("HTTPTypes", "swift-http-types"), feed("Hummingbird", "hummingbird"),
                feed("NIOCore", "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .systemLibrary(name: "LibNATS", pkgConfig: "libnats", providers: [.apt(["libnats-dev"]), .brew(["cnats"])]),
        .executableTarget(
            name: "ClusterBenchmark",
            dependencies: [
                "Rounds", duet, cluster("DuetCaching"), cluster("DuetCluster"), cluster("DuetClusterEngine"),
                cluster("DuetNATS"),
                cluster("DuetContext"), cluster("DuetSQLite"), cluster("GRDB", "GRDB.swift"),
                .target(name: "LibNATS", condition: .when(traits: ["Cluster"])),
            ],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
