// swift-tools-version: 6.2

import CompilerPluginSupport
import PackageDescription

/// The settings of every target: the Swift 6 language mode and upcoming features that this code is written for.
let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("ImmutableWeakCaptures"),
        .enableUpcomingFeature("InferIsolatedConformances"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .strictMemorySafety(),
    ] + (Context.environment["CI"] == nil ? [] : [.treatAllWarnings(as: .error)])

/// A product of another package, fetched and built only when one of the traits asks for it.
func product(_ name: String, _ package: String, trait: String...) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: Set(trait)))
}

let httpTypes = product("HTTPTypes", "swift-http-types", trait: "HTTP")
let structuredFields = product("RawStructuredFieldValues", "swift-http-structured-headers", trait: "HTTP")
let serviceContext = product("ServiceContextModule", "swift-service-context", trait: "HTTP", "Caching", "Cluster")
let instrumentation = product("Instrumentation", "swift-distributed-tracing", trait: "Cluster")
let clusterLifecycle = product("ServiceLifecycle", "swift-service-lifecycle", trait: "Cluster")
let jwtKit = product("JWTKit", "jwt-kit", trait: "JWT")
let crypto = product("Crypto", "swift-crypto", trait: "Cluster", "HTTP")
let metrics = ["CoreMetrics", "Metrics"].map { product($0, "swift-metrics", trait: "Cluster", "Telemetry") }
let metricsTestKit = product("MetricsTestKit", "swift-metrics", trait: "Cluster", "Telemetry")
let tracing = product("Tracing", "swift-distributed-tracing", trait: "Telemetry")
let inMemoryTelemetry = [
    product("InMemoryTracing", "swift-distributed-tracing", trait: "Telemetry"), metricsTestKit,
]
let telemetryLogging = product("Logging", "swift-log", trait: "Telemetry")
let certificates = product("X509", "swift-certificates", trait: "EssentialFeed", "Hummingbird")
let asn1 = product("SwiftASN1", "swift-asn1", trait: "EssentialFeed")
let nioHTTP2 = ["NIOHPACK", "NIOHTTP2"].map { product($0, "swift-nio-http2", trait: "AsyncHTTPClient") }
let nioSSL = product("NIOSSL", "swift-nio-ssl", trait: "AsyncHTTPClient")
let hummingbirdTLS = ["HummingbirdHTTP2", "HummingbirdTLS"]
    .map { product($0, "hummingbird", trait: "Hummingbird") }
let asyncHTTPClient = product("AsyncHTTPClient", "async-http-client", trait: "AsyncHTTPClient")
let nioClient = ["NIOCore", "NIOHTTP1", "NIOPosix"].map { product($0, "swift-nio", trait: "AsyncHTTPClient") }
let hummingbird = product("Hummingbird", "hummingbird", trait: "Hummingbird")
let hummingbirdTesting = product("HummingbirdTesting", "hummingbird", trait: "Hummingbird")
let nioCore = product("NIOCore", "swift-nio", trait: "Hummingbird")
let nioEmbedded = product("NIOEmbedded", "swift-nio", trait: "Hummingbird")
let nioHTTP1 = product("NIOHTTP1", "swift-nio", trait: "Hummingbird")
let nioPosix = product("NIOPosix", "swift-nio", trait: "Hummingbird")
let hummingbirdLogging = product("Logging", "swift-log", trait: "Hummingbird")
let hummingbirdCore = product("HummingbirdCore", "hummingbird", trait: "Hummingbird")
let asyncAlgorithms = product("AsyncAlgorithms", "swift-async-algorithms", trait: "EssentialFeed")
let mustache = product("Mustache", "swift-mustache", trait: "EssentialFeed")
let grdb = product("GRDB", "GRDB.swift", trait: "SQLite")
let grdbSQLite = product("GRDBSQLite", "GRDB.swift", trait: "SQLite")
let argumentParser = product("ArgumentParser", "swift-argument-parser", trait: "EssentialFeed")
let logging = product("Logging", "swift-log", trait: "EssentialFeed")
let inMemoryLogging = product("InMemoryLogging", "swift-log", trait: "EssentialFeed")
let swiftCompilerPlugin = product("SwiftCompilerPlugin", "swift-syntax", trait: "Macros")
let swiftSyntax = ["SwiftDiagnostics", "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacros"]
    .map { product($0, "swift-syntax", trait: "Macros") }
let macroTesting = ["SwiftSyntaxMacroExpansion", "SwiftSyntaxMacrosGenericTestSupport"]
    .map { product($0, "swift-syntax", trait: "Macros") }
let unixSignals = product("UnixSignals", "swift-service-lifecycle", trait: "EssentialFeed")
let serviceLifecycle = product("ServiceLifecycle", "swift-service-lifecycle", trait: "Hummingbird")

let isInPackageIndex = ["SPI_BUILD", "SPI_GENERATE_DOCS"].contains { Context.environment[$0] != nil }

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// A module without code that other modules depend on, so that a missing trait is one error with the line to write.
func guarding(_ trait: String) -> Target {
    .target(name: "\(trait)Trait", path: "Sources/Traits/\(trait)", swiftSettings: settings)
}

func feature(
    _ name: String,
    _ dependencies: [Target.Dependency],
    resources: [Resource] = []
) -> Target {
    .target(
        name: name,
        dependencies: dependencies,
        path: "EssentialFeed/\(name)",
        resources: resources,
        swiftSettings: settings
    )
}

func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
    .testTarget(name: "\(name)Tests", dependencies: dependencies, resources: resources, swiftSettings: settings)
}

let package = Package(
    name: "duet",
    defaultLocalization: "en",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Duet", targets: ["Duet"]),
        .library(name: "DuetDependencies", targets: ["DuetDependencies"]),
        .library(name: "DuetMacros", targets: ["DuetMacros"]),
        .library(name: "DuetContext", targets: ["DuetContext"]),
        .library(name: "DuetCaching", targets: ["DuetCaching"]),
        .library(name: "DuetHTTP", targets: ["DuetHTTP"]),
        .library(name: "DuetHTTPCaching", targets: ["DuetHTTPCaching"]),
        .library(name: "DuetAsyncHTTPClient", targets: ["DuetAsyncHTTPClient"]),
        .library(name: "DuetURLSession", targets: ["DuetURLSession"]),
        .library(name: "DuetSQLite", targets: ["DuetSQLite"]),
        .library(name: "DuetCluster", targets: ["DuetCluster"]),
        .library(name: "DuetNATS", targets: ["DuetNATS"]),
        .library(name: "DuetTelemetry", targets: ["DuetTelemetry"]),
        .library(name: "DuetHummingbird", targets: ["DuetHummingbird"]),
        .library(name: "DuetJWT", targets: ["DuetJWT"]),
        .library(name: "DuetSwiftUI", targets: ["DuetSwiftUI"]),
        .library(name: "DuetTesting", targets: ["DuetTesting"]),
        .library(
            name: "EssentialFeed",
            targets: [
                "FeedFeature", "FeedAPI", "FeedCache", "FeedCacheSQLite", "FeedPresentation", "FeedBackend", "FeedWeb",
                "FeedComposition",
            ]
        ),
        .executable(name: "feed", targets: ["feed"]),
    ],
    traits: [
        .trait(name: "Macros", description: "@Resolvable and @Dispatcher: DuetMacros, on swift-syntax."),
        .trait(name: "Caching", description: "Cached queries without HTTP: DuetCaching, DuetContext."),
        .trait(name: "Cluster", description: "Messages on a cluster: DuetCluster, with its engine in one process."),
        .trait(name: "NATS", description: "A cluster on NATS: DuetNATS, on libnats.", enabledTraits: ["Cluster"]),
        .trait(
            name: "HTTP",
            description: "HTTP messages: DuetContext, DuetCaching, DuetHTTP, DuetHTTPCaching, DuetURLSession."
        ),
        .trait(
            name: "AsyncHTTPClient",
            description: "HTTPClient on AsyncHTTPClient: DuetAsyncHTTPClient.",
            enabledTraits: ["HTTP"]
        ),
        .trait(
            name: "Hummingbird",
            description: "Messages served by Hummingbird: DuetHummingbird.",
            enabledTraits: ["HTTP"]
        ),
        .trait(
            name: "JWT",
            description: "JSON Web Tokens as bearer tokens: DuetJWT, on jwt-kit.",
            enabledTraits: ["HTTP"]
        ),
        .trait(
            name: "Telemetry",
            description: "Traces and metrics: DuetTelemetry, on swift-distributed-tracing and swift-metrics.",
            enabledTraits: ["HTTP"]
        ),
        .trait(name: "SQLite", description: "Durable stores: DuetSQLite, on GRDB.", enabledTraits: ["HTTP"]),
        .trait(
            name: "EssentialFeed",
            description: "The Essential Feed: the application and its command-line program.",
            enabledTraits: ["AsyncHTTPClient", "Cluster", "Hummingbird", "JWT", "Macros", "SQLite", "Telemetry"]
        ),
        // None: depending on Duet gives the core and fetches nothing. In a clone, make passes the traits; the Package
        // Index, which can pass none, is known by its environment.
        .default(enabledTraits: isInPackageIndex ? ["EssentialFeed"] : []),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.1.4"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-structured-headers", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-service-context", from: "1.5.1"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
        .package(url: "https://github.com/swiftlang/swift-syntax", "603.0.0"..<"604.0.0"),
    ],
    targets: [
        guarding("AsyncHTTPClient"), guarding("Context"), guarding("EssentialFeed"), guarding("HTTP"),
        guarding("Hummingbird"),
        guarding("JWT"),
        guarding("Macros"), guarding("SQLite"), guarding("Telemetry"),

        // The toolkit.
        module("Duet"),
        module("DuetDependencies", ["Duet"]),
        .macro(
            name: "DuetMacrosPlugin",
            dependencies: ["DuetMacroExpansion", swiftCompilerPlugin] + swiftSyntax,
            swiftSettings: settings
        ),
        // A library beside the plugin: tests of a macro target would build every package a second time, for the
        // compiler's platform.
        module("DuetMacroExpansion", ["MacrosTrait"] + swiftSyntax),
        module("DuetMacros", ["Duet", "DuetDependencies", "DuetMacrosPlugin"]),
        module("DuetContext", ["Duet", "ContextTrait", crypto, serviceContext]),
        module("DuetCaching", ["Duet", "DuetContext", serviceContext]),
        module("DuetHTTP", ["Duet", "DuetContext", "HTTPTrait", httpTypes, serviceContext]),
        module(
            "DuetHTTPCaching",
            ["Duet", "DuetContext", "DuetHTTP", crypto, httpTypes, serviceContext, structuredFields]
        ),
        module(
            "DuetAsyncHTTPClient",
            ["AsyncHTTPClientTrait", "Duet", "DuetHTTP", httpTypes, serviceContext, asyncHTTPClient, nioSSL] + nioClient
                + nioHTTP2
        ),
        module("DuetURLSession", ["Duet", "DuetHTTP", httpTypes, serviceContext]),
        module(
            "DuetTelemetry",
            ["TelemetryTrait", "Duet", "DuetCaching", "DuetHTTP", httpTypes, serviceContext, telemetryLogging, tracing]
                + metrics
        ),
        module(
            "DuetHummingbird",
            [
                "HummingbirdTrait", "Duet", "DuetContext", "DuetHTTP", httpTypes, serviceContext, hummingbird,
                hummingbirdCore, hummingbirdLogging, crypto, nioCore, nioHTTP1, serviceLifecycle,
                .target(name: "DuetCluster", condition: .when(traits: ["Cluster"])),
            ]
        ),
        module(
            "DuetSQLite",
            [
                "SQLiteTrait", "Duet", "DuetCaching", "DuetHTTP", "DuetHTTPCaching",
                .target(name: "DuetCluster", condition: .when(traits: ["Cluster"])), grdb, grdbSQLite,
            ]
        ),
        module(
            "DuetCluster",
            ["Duet", "DuetCaching", "DuetContext", serviceContext, instrumentation, clusterLifecycle] + metrics
        ),
        .systemLibrary(
            name: "CNats",
            pkgConfig: "libnats",
            providers: [.apt(["libnats-dev"]), .brew(["cnats"])]
        ),
        module(
            "DuetNATS",
            ["Duet", "DuetCluster", "DuetContext", .target(name: "CNats", condition: .when(traits: ["NATS"]))]
        ),
        module("DuetJWT", ["JWTTrait", "DuetContext", jwtKit]),
        module(
            "DuetSwiftUI",
            [
                "Duet", "DuetDependencies",
                .target(name: "DuetCaching", condition: .when(traits: ["Caching", "HTTP"])),
            ]
        ),
        module(
            "DuetTesting",
            [
                "Duet", "DuetDependencies",
                .target(name: "DuetCaching", condition: .when(traits: ["Caching", "Cluster", "HTTP"])),
                .target(name: "DuetContext", condition: .when(traits: ["Caching", "Cluster", "HTTP"])),
                .target(name: "DuetHTTP", condition: .when(traits: ["HTTP"])),
                .target(name: "DuetHTTPCaching", condition: .when(traits: ["HTTP"])),
                .target(name: "DuetHummingbird", condition: .when(traits: ["Hummingbird"])),
                .target(name: "DuetCluster", condition: .when(traits: ["Cluster"])), httpTypes, serviceContext,
                hummingbird, hummingbirdLogging, nioCore, nioEmbedded,
            ]
        ),

        // The application.
        feature("FeedFeature", ["Duet", "EssentialFeedTrait"]),
        feature("FeedAPI", ["Duet", "DuetHTTP", "FeedFeature", httpTypes]),
        feature("FeedCache", ["FeedFeature"]),
        feature("FeedCacheSQLite", ["DuetSQLite", "FeedCache", "FeedFeature", grdb]),
        feature("FeedPresentation", ["FeedFeature"], resources: [.embedInCode("Resources")]),
        feature(
            "FeedServing",
            [
                "Duet", "DuetDependencies", "DuetHummingbird", httpTypes, hummingbird, logging, nioCore, serviceContext,
                tracing,
            ] + metrics
        ),
        feature(
            "FeedBackend",
            [
                "Duet", "DuetCaching", "DuetContext", "DuetDependencies", "DuetHTTP", "DuetHummingbird", "DuetMacros",
                "DuetSQLite", "FeedAPI", "FeedFeature", "FeedServing", crypto, hummingbird, grdb, logging, nioCore,
                tracing,
            ],
            resources: [.copy("Resources/samples")]
        ),
        feature(
            "FeedWeb",
            [
                "Duet", "DuetCaching", "DuetCluster", "DuetContext", "DuetDependencies", "DuetHTTP", "DuetHummingbird",
                "DuetMacros", "FeedFeature", "FeedPresentation", "FeedServing", asyncAlgorithms, hummingbird, httpTypes,
                mustache, logging, nioCore, serviceContext,
            ],
            resources: [.embedInCode("Resources")]
        ),
        feature(
            "FeedComposition",
            [
                "Duet", "DuetAsyncHTTPClient", "DuetCaching", "DuetCluster", "DuetContext", "DuetHTTP",
                "DuetHTTPCaching", "DuetHummingbird", "DuetMacros", "DuetSQLite", "DuetTelemetry", "FeedAPI",
                "FeedBackend", "FeedCache", "FeedCacheSQLite", "FeedFeature", "FeedServing", "FeedWeb",
                .target(name: "DuetNATS", condition: .when(traits: ["NATS"])),
                hummingbird, hummingbirdCore, httpTypes, logging, nioCore, serviceLifecycle, tracing, unixSignals,
            ] + metrics
        ),
        .executableTarget(
            name: "feed",
            dependencies: [
                "Duet", "DuetCluster", "DuetDependencies", "DuetHTTP", "FeedBackend", "FeedComposition", "FeedFeature",
                "FeedPresentation", argumentParser, logging,
            ],
            path: "EssentialFeed/feed",
            swiftSettings: settings
        ),

        // Tests, and what they share.
        .target(
            name: "FeedTesting",
            dependencies: ["DuetTesting", "FeedFeature", "FeedCache"],
            path: "Tests/FeedTesting",
            swiftSettings: settings
        ),
        .target(
            name: "FuzzTesting",
            dependencies: ["DuetTesting"],
            path: "Tests/FuzzTesting",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "FeedStoreWriter",
            dependencies: ["FeedCache", "FeedCacheSQLite", "FeedTesting"],
            path: "Tests/FeedStoreWriter",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "HTTPCacheWriter",
            dependencies: [
                "Duet", "DuetCaching", "DuetHTTP", "DuetHTTPCaching", "DuetSQLite", "DuetTesting", grdb, httpTypes,
            ],
            path: "Tests/HTTPCacheWriter",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "ClusterChaosNode",
            dependencies: ["Duet", "DuetCluster", "DuetContext", "DuetNATS", "DuetSQLite", "DuetTesting", grdb],
            path: "Tests/ClusterChaosNode",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "CacheInterleavings",
            dependencies: ["Duet", "DuetCaching", "DuetTesting"],
            path: "Tests/CacheInterleavings",
            swiftSettings: settings
        ),
        .target(name: "OtherModule", dependencies: ["Duet"], path: "Tests/OtherModule", swiftSettings: settings),
        tests("Duet", ["Duet", "DuetTesting", "OtherModule"]),
        tests("DuetDependencies", ["Duet", "DuetDependencies", "DuetTesting"]),
        tests(
            "DuetMacros",
            ["Duet", "DuetDependencies", "DuetMacroExpansion", "DuetMacros", "DuetTesting", "FeedTesting"] + swiftSyntax
                + macroTesting
        ),
        tests(
            "DuetTesting",
            [
                "Duet", "DuetCaching", "DuetCluster", "DuetContext", "DuetDependencies", "DuetHTTP", "DuetTesting",
                httpTypes, serviceContext, hummingbird, nioCore,
            ]
        ),
        tests("DuetContext", ["Duet", "DuetContext", "DuetTesting", serviceContext]),
        tests(
            "DuetCaching",
            ["CacheInterleavings", "Duet", "DuetCaching", "DuetContext", "DuetTesting", serviceContext]
        ),
        tests("DuetSwiftUI", ["Duet", "DuetCaching", "DuetDependencies", "DuetSwiftUI", "DuetTesting"]),
        tests(
            "DuetCluster",
            [
                "Duet", "DuetCaching", "DuetCluster", "DuetContext", "DuetTesting", "FuzzTesting", serviceContext,
                metricsTestKit,
            ]
                + metrics
        ),
        tests(
            "DuetNATS",
            [
                "ClusterChaosNode", "Duet", "DuetCaching", "DuetCluster", "DuetContext", "DuetNATS", "DuetSQLite",
                "DuetTesting", "FeedTesting", "FuzzTesting", grdb, serviceContext,
            ]
        ),
        tests("DuetHTTP", ["Duet", "DuetContext", "DuetHTTP", "DuetTesting", httpTypes, serviceContext]),
        tests(
            "DuetHTTPCaching",
            [
                "Duet", "DuetAsyncHTTPClient", "DuetContext", "DuetHTTP", "DuetHTTPCaching", "DuetTesting", httpTypes,
                serviceContext, structuredFields, hummingbird, nioCore,
            ]
        ),
        tests(
            "DuetSQLite",
            [
                "Duet", "DuetCaching", "DuetCluster", "DuetContext", "DuetHTTP", "DuetHTTPCaching", "DuetSQLite",
                "DuetTesting", "FeedTesting", "HTTPCacheWriter", grdb, grdbSQLite, httpTypes,
            ]
        ),
        // One probe suite for both adapters, and what is AsyncHTTPClient's own.
        tests(
            "DuetHTTPAdapter",
            [
                "DuetAsyncHTTPClient", "DuetContext", "DuetHTTP", "DuetTesting", "DuetURLSession",
                "FeedTesting", httpTypes, serviceContext, hummingbird, asn1, certificates, crypto, nioSSL,
            ] + hummingbirdTLS + nioClient + nioHTTP2
        ),
        tests(
            "DuetTelemetry",
            [
                "Duet", "DuetAsyncHTTPClient", "DuetCaching", "DuetHTTP", "DuetTelemetry", "DuetTesting", httpTypes,
                serviceContext,
                hummingbird,
                inMemoryLogging, telemetryLogging, tracing,
            ] + metrics + inMemoryTelemetry
        ),
        tests(
            "DuetHummingbird",
            [
                "Duet", "DuetAsyncHTTPClient", "DuetCaching", "DuetCluster", "DuetContext", "DuetDependencies",
                "DuetHTTP", "DuetHummingbird", "DuetJWT", "DuetTesting",
                httpTypes, serviceContext, crypto, hummingbird, hummingbirdTesting, jwtKit, nioCore, nioEmbedded,
                nioHTTP1,
                nioPosix, hummingbirdLogging, inMemoryLogging, serviceLifecycle,
            ]
        ),
        // A small application that uses only the public API.
        tests(
            "Notes",
            [
                "Duet", "DuetAsyncHTTPClient", "DuetContext", "DuetDependencies", "DuetHTTP", "DuetHTTPCaching",
                "DuetHummingbird", "DuetMacros", "DuetTesting", httpTypes, hummingbird,
            ]
        ),
        // A proxy that fails, and malformed input.
        tests(
            "DuetHTTPFault",
            [
                "Duet", "DuetAsyncHTTPClient", "DuetContext", "DuetHTTP", "DuetHTTPCaching", "DuetHummingbird",
                "DuetJWT", "DuetTesting", "FeedFeature", "FeedPresentation", "FeedWeb", "FuzzTesting", httpTypes,
                serviceContext, hummingbird, jwtKit,
            ] + nioClient,
            resources: [.copy("Corpus")]
        ),
        // The messages of the guide's snippet, against the real servers that it names.
        .testTarget(
            name: "DuetHTTPGuideTests",
            dependencies: [
                "Duet", "DuetAsyncHTTPClient", "DuetCaching", "DuetContext", "DuetHTTP", "DuetHummingbird",
                "DuetTesting", "DuetURLSession", "FeedTesting",
                httpTypes, hummingbird, nioCore, nioPosix,
            ],
            swiftSettings: settings + [.define("DUET_GUIDE_TESTS")]
        ),
        tests("FeedFeature", ["FeedFeature", "FeedTesting", "Duet", "DuetTesting"]),
        tests("FeedAPI", ["FeedAPI", "FeedFeature", "FeedTesting", "Duet", "DuetHTTP", httpTypes]),
        tests("FeedCache", ["FeedCache", "FeedFeature", "FeedTesting"]),
        tests(
            "FeedCacheSQLite",
            [
                "DuetSQLite", "DuetTesting", "FeedCacheSQLite", "FeedCache", "FeedFeature", "FeedTesting",
                "FeedStoreWriter", grdb,
            ]
        ),
        tests("FeedPresentation", ["FeedPresentation", "FeedFeature", "FeedTesting"]),
        tests(
            "FeedBackend",
            [
                "FeedBackend", "FeedAPI", "FeedFeature", "FeedTesting", "Duet", "DuetAsyncHTTPClient", "DuetContext",
                "DuetDependencies", "DuetHTTP", "DuetSQLite", "DuetTesting", hummingbird, hummingbirdTesting, grdb,
                httpTypes, logging, nioCore, nioHTTP1, nioPosix, serviceLifecycle,
            ]
        ),
        tests(
            "FeedWeb",
            [
                "FeedWeb", "FeedFeature", "FeedPresentation", "FeedServing", "FeedTesting", "Duet", "DuetCaching",
                "DuetCluster", "DuetDependencies", "DuetHummingbird", "DuetTesting", hummingbird, hummingbirdTesting,
                httpTypes, logging, nioCore,
            ]
        ),
        tests(
            "FeedComposition",
            [
                "FeedComposition", "FeedAPI", "FeedBackend", "FeedCache", "FeedCacheSQLite", "FeedFeature",
                "FeedServing", "FeedTesting", "FeedWeb", "Duet", "DuetAsyncHTTPClient", "DuetCaching", "DuetCluster",
                "DuetContext", "DuetDependencies", "DuetHTTP", "DuetHTTPCaching", "DuetSQLite", "DuetTesting",
                grdb, hummingbird, hummingbirdTesting, httpTypes, inMemoryLogging, logging, nioCore, nioPosix,
                serviceLifecycle, tracing,
            ] + metrics
        ),
        tests(
            "FeedAcceptance",
            [
                "Duet", "DuetCluster", "DuetContext", "DuetDependencies", "DuetHummingbird", "DuetTesting",
                "FeedBackend", "FeedComposition", "FeedFeature", "FeedPresentation", "FeedTesting", hummingbird,
                logging, nioCore, nioPosix, serviceLifecycle,
            ]
        ),
        // The pages in Chromium, which chromedriver drives.
        tests(
            "FeedBrowser",
            [
                "Duet", "DuetAsyncHTTPClient", "DuetDependencies", "DuetHTTP", "DuetTesting", "FeedBackend",
                "FeedComposition", "FeedFeature", "FeedPresentation", "FeedTesting", "FeedWeb", httpTypes,
                inMemoryLogging, logging, nioCore, serviceLifecycle,
            ]
        ),
        tests(
            "FeedCommand",
            [
                "feed", "Duet", "DuetCluster", "DuetTesting", "FeedComposition", "FeedFeature", "FeedTesting",
                argumentParser, hummingbird, hummingbirdTesting, httpTypes, logging, nioCore,
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
