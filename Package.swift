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

/// Products of another package, fetched and built only when one of the traits asks for them.
func products(_ names: [String], from package: String, for traits: String...) -> [Target.Dependency] {
    names.map { .product(name: $0, package: package, condition: .when(traits: Set(traits))) }
}

/// A module that only one of the traits adds.
func optional(_ name: String, for traits: String...) -> [Target.Dependency] {
    [.target(name: name, condition: .when(traits: Set(traits)))]
}

// The products of other packages.
let context = products(["ServiceContextModule"], from: "swift-service-context", for: "HTTP", "Caching", "Cluster")
let crypto = products(["Crypto"], from: "swift-crypto", for: "Cluster", "HTTP")
let http =
    products(["HTTPTypes"], from: "swift-http-types", for: "HTTP")
    + products(["RawStructuredFieldValues"], from: "swift-http-structured-headers", for: "HTTP")
    + context
let nio = products(
    ["NIOCore", "NIOEmbedded", "NIOHTTP1", "NIOPosix"],
    from: "swift-nio",
    for: "AsyncHTTPClient",
    "Hummingbird"
)
let nioSSL = products(["NIOSSL"], from: "swift-nio-ssl", for: "AsyncHTTPClient")
let nioHTTP2 = products(["NIOHPACK", "NIOHTTP2"], from: "swift-nio-http2", for: "AsyncHTTPClient")
let httpClient =
    products(["AsyncHTTPClient"], from: "async-http-client", for: "AsyncHTTPClient") + nio + nioHTTP2 + nioSSL
let lifecycle = products(["ServiceLifecycle"], from: "swift-service-lifecycle", for: "Cluster", "Hummingbird")
let signals = products(["UnixSignals"], from: "swift-service-lifecycle", for: "EssentialFeed")
let logging = products(["Logging"], from: "swift-log", for: "EssentialFeed", "Hummingbird", "Telemetry")
let hummingbird =
    products(["Hummingbird", "HummingbirdCore"], from: "hummingbird", for: "Hummingbird") + lifecycle + logging + nio
let jwtKit = products(["JWTKit"], from: "jwt-kit", for: "JWT")
let metrics =
    products(["CoreMetrics", "Metrics"], from: "swift-metrics", for: "Cluster", "Hummingbird", "Telemetry")
let tracing = products(["Instrumentation", "Tracing"], from: "swift-distributed-tracing", for: "Cluster", "Telemetry")
let grdb = products(["GRDB", "GRDBSQLite"], from: "GRDB.swift", for: "SQLite")
let swiftSyntax = products(
    ["SwiftCompilerPlugin", "SwiftDiagnostics", "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacros"],
    from: "swift-syntax",
    for: "Macros"
)
let asyncAlgorithms = products(["AsyncAlgorithms"], from: "swift-async-algorithms", for: "EssentialFeed")
let mustache = products(["Mustache"], from: "swift-mustache", for: "EssentialFeed")
let argumentParser = products(["ArgumentParser"], from: "swift-argument-parser", for: "EssentialFeed", "RealWorld")
let passwords = products(["CryptoExtras"], from: "swift-crypto", for: "EssentialFeed", "RealWorld")

// The products that only tests use.
let metricsTesting = products(["MetricsTestKit"], from: "swift-metrics", for: "Cluster", "Telemetry")
let tracingTesting = products(["InMemoryTracing"], from: "swift-distributed-tracing", for: "Telemetry")
let loggingTesting = products(["InMemoryLogging"], from: "swift-log", for: "EssentialFeed")
let hummingbirdTesting = products(["HummingbirdTesting"], from: "hummingbird", for: "Hummingbird")
let tlsTesting = products(["HummingbirdHTTP2", "HummingbirdTLS"], from: "hummingbird", for: "Hummingbird")

// Modules of the toolkit that are used together.
let cluster = optional("DuetCluster", for: "Cluster")
let nats = optional("DuetNATS", for: "NATS")
let caching = optional("DuetCaching", for: "Caching", "Cluster", "HTTP")
let tested =
    optional("DuetContext", for: "Caching", "Cluster", "HTTP") + caching + cluster
    + optional("DuetClusterEngine", for: "Cluster") + optional("DuetHTTP", for: "HTTP")
    + optional("DuetHummingbird", for: "Hummingbird")
let core: [Target.Dependency] = ["Duet", "DuetContext", "DuetDependencies"]
let toolkit: [Target.Dependency] =
    core + [
        "DuetAsyncHTTPClient", "DuetCaching", "DuetCluster", "DuetClusterEngine", "DuetHTTP", "DuetHTTPCaching",
        "DuetHummingbird",
        "DuetMacros", "DuetSQLite", "DuetTelemetry",
    ]
let testKit: [Target.Dependency] =
    toolkit + ["DuetContracts", "DuetJWT", "DuetTesting", "DuetURLSession", "FuzzTesting", "TestSupport"]
let feed: [Target.Dependency] = [
    "FeedAPI", "FeedBackend", "FeedCache", "FeedCacheSQLite", "FeedComposition", "FeedFeature", "FeedPresentation",
    "FeedServing", "FeedTesting", "FeedWeb",
]

/// A target in the folder `path`, with the modules that it uses and the products of other packages.
func target(
    _ path: String,
    _ modules: [Target.Dependency],
    _ products: [[Target.Dependency]],
    resources: [Resource] = []
) -> Target {
    .target(
        name: name(path),
        dependencies: modules + products.joined(),
        path: path,
        resources: resources,
        swiftSettings: settings
    )
}

func name(_ path: String) -> String { String(path.split(separator: "/").last ?? "") }

/// A module of the toolkit.
func module(_ path: String, _ modules: [Target.Dependency] = [], _ products: [Target.Dependency]...) -> Target {
    target("Sources/\(path)", modules, products)
}

/// A module without code that other modules depend on, so that a missing trait is one error with the line to write.
func guarding(_ trait: String) -> Target {
    .target(name: "\(trait)Trait", path: "Sources/Core/Traits/\(trait)", swiftSettings: settings)
}

/// A module of the application.
func feature(
    _ name: String,
    _ modules: [Target.Dependency],
    _ products: [Target.Dependency]...,
    resources: [Resource] = []
) -> Target {
    target("EssentialFeed/\(name)", modules, products, resources: resources)
}

/// What tests share.
func support(_ path: String, _ modules: [Target.Dependency], _ products: [Target.Dependency]...) -> Target {
    target("Tests/\(path)", modules, products)
}

/// A program, in the application's or in the tests' folder.
func program(_ path: String, _ modules: [Target.Dependency], _ products: [Target.Dependency]...) -> Target {
    .executableTarget(
        name: name(path),
        dependencies: modules + products.joined(),
        path: path,
        swiftSettings: settings
    )
}

func tests(
    _ path: String,
    _ modules: [Target.Dependency],
    _ products: [Target.Dependency]...,
    resources: [Resource] = [],
    settings more: [SwiftSetting] = []
) -> Target {
    .testTarget(
        name: name(path),
        dependencies: modules + products.joined(),
        path: "Tests/\(path)",
        resources: resources,
        swiftSettings: settings + more
    )
}

let libraries = [
    "Duet", "DuetContext", "DuetDependencies", "DuetMacros",
    "DuetCaching", "DuetSQLite",
    "DuetHTTP", "DuetHTTPCaching", "DuetAsyncHTTPClient", "DuetURLSession", "DuetHummingbird", "DuetJWT",
    "DuetCluster", "DuetClusterEngine", "DuetNATS",
    "DuetSwiftUI", "DuetTelemetry",
    "DuetTesting", "DuetContracts",
]

let isInPackageIndex = ["SPI_BUILD", "SPI_GENERATE_DOCS"].contains { Context.environment[$0] != nil }

let package = Package(
    name: "duet",
    defaultLocalization: "en",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: libraries.map { .library(name: $0, targets: [$0]) } + [
        .library(
            name: "EssentialFeed",
            targets: [
                "FeedFeature", "FeedAPI", "FeedCache", "FeedCacheSQLite", "FeedPresentation", "FeedBackend", "FeedWeb",
                "FeedComposition",
            ]
        ),
        .executable(name: "feed", targets: ["feed"]),
        .executable(name: "realworld", targets: ["realworld"]),
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
        .trait(name: "SQLite", description: "Durable stores: DuetSQLite, on GRDB.", enabledTraits: ["Caching"]),
        .trait(
            name: "EssentialFeed",
            description: "The Essential Feed: the application and its command-line program.",
            enabledTraits: ["AsyncHTTPClient", "Cluster", "Hummingbird", "JWT", "Macros", "SQLite", "Telemetry"]
        ),
        .trait(
            name: "RealWorld",
            description: "An example: backend and command-line client of the public RealWorld specification.",
            enabledTraits: ["AsyncHTTPClient", "Hummingbird", "JWT", "SQLite"]
        ),
        // None: depending on Duet gives the core and fetches nothing. In a clone, make passes the traits; the Package
        // Index, which can pass none, is known by its environment.
        .default(enabledTraits: isInPackageIndex ? ["EssentialFeed"] : []),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.1.4"),
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
        module("Core/Duet"),
        module("Core/DuetContext", ["Duet", "ContextTrait"], crypto, context),
        module("Core/DuetDependencies", ["Duet"]),
        module("Core/DuetMacros", ["Duet", "DuetDependencies", "DuetMacrosPlugin"]),
        // Its tests run the compiler with it: linked into them, it would be built a second time, with swift-syntax.
        .macro(
            name: "DuetMacrosPlugin",
            dependencies: ["MacrosTrait"] + swiftSyntax,
            path: "Sources/Core/DuetMacrosPlugin",
            swiftSettings: settings
        ),
        guarding("AsyncHTTPClient"), guarding("Context"), guarding("EssentialFeed"), guarding("HTTP"),
        guarding("Hummingbird"), guarding("JWT"), guarding("Macros"), guarding("SQLite"), guarding("Telemetry"),

        module("Caching/DuetCaching", ["Duet", "DuetContext"], context),
        module("Caching/DuetSQLite", ["SQLiteTrait", "Duet", "DuetCaching", "DuetContext"], cluster, grdb),

        module(
            "HTTP/DuetHTTP",
            ["HTTPTrait", "Duet", "DuetContext"],
            crypto,
            http,
            optional("CDuetZlib", for: "HTTP")
        ),
        .systemLibrary(
            name: "CDuetZlib",
            path: "Sources/HTTP/CDuetZlib",
            providers: [.apt(["zlib1g-dev"])]
        ),
        module("HTTP/DuetHTTPCaching", ["Duet", "DuetContext", "DuetHTTP"], crypto, http),
        module("HTTP/DuetAsyncHTTPClient", ["AsyncHTTPClientTrait", "Duet", "DuetHTTP"], http, httpClient),
        module("HTTP/DuetURLSession", ["Duet", "DuetHTTP"], http),
        module(
            "HTTP/DuetHummingbird",
            ["HummingbirdTrait", "Duet", "DuetContext", "DuetHTTP"],
            http,
            hummingbird,
            metrics
        ),
        module("HTTP/DuetJWT", ["JWTTrait", "DuetContext"], jwtKit),

        module("Cluster/DuetClusterEngine", ["Duet", "DuetContext"]),
        module(
            "Cluster/DuetCluster",
            ["Duet", "DuetCaching", "DuetClusterEngine", "DuetContext"],
            context,
            lifecycle,
            metrics,
            tracing
        ),
        module(
            "Cluster/DuetNATS",
            ["Duet", "DuetCluster", "DuetClusterEngine", "DuetContext"],
            optional("CNats", for: "NATS")
        ),
        .systemLibrary(
            name: "CNats",
            path: "Sources/Cluster/CNats",
            pkgConfig: "libnats",
            providers: [.apt(["libnats-dev"]), .brew(["cnats"])]
        ),

        module("App/DuetSwiftUI", ["Duet", "DuetDependencies"], caching),
        module(
            "App/DuetTelemetry",
            ["TelemetryTrait", "Duet", "DuetCaching", "DuetHTTP"],
            http,
            logging,
            metrics,
            tracing
        ),

        module("Testing/DuetTesting", ["Duet", "DuetDependencies"], tested, http, hummingbird),
        module(
            "Testing/DuetContracts",
            ["Duet", "DuetTesting"],
            tested,
            optional("DuetHTTPCaching", for: "HTTP"),
            http
        ),

        // The application.
        feature("FeedFeature", ["Duet", "EssentialFeedTrait"]),
        feature("FeedAPI", ["Duet", "DuetHTTP", "FeedFeature"], http),
        feature("FeedCache", ["DuetCaching", "FeedFeature"]),
        feature("FeedCacheSQLite", ["DuetSQLite", "FeedCache", "FeedFeature"], grdb),
        feature("FeedPresentation", ["FeedFeature"], resources: [.embedInCode("Resources")]),
        feature(
            "FeedServing",
            ["Duet", "DuetDependencies", "DuetHTTP", "DuetHummingbird"],
            http,
            hummingbird,
            metrics,
            tracing
        ),
        feature(
            "FeedBackend",
            toolkit + ["FeedAPI", "FeedFeature", "FeedServing"],
            crypto,
            grdb,
            hummingbird,
            resources: [.copy("Resources/samples")]
        ),
        feature(
            "FeedWeb",
            toolkit + ["FeedFeature", "FeedPresentation", "FeedServing"],
            asyncAlgorithms,
            http,
            hummingbird,
            mustache,
            resources: [.embedInCode("Resources")]
        ),
        feature(
            "FeedComposition",
            toolkit + [
                "FeedAPI", "FeedBackend", "FeedCache", "FeedCacheSQLite", "FeedFeature", "FeedServing", "FeedWeb",
            ],
            nats,
            http,
            hummingbird,
            metrics,
            signals,
            tracing
        ),
        program(
            "EssentialFeed/feed",
            toolkit + ["FeedBackend", "FeedComposition", "FeedFeature", "FeedPresentation"],
            argumentParser,
            logging
        ),

        // The example, whose API, server and client are folders of one module.
        program(
            "Examples/RealWorld/realworld",
            core + [
                "DuetAsyncHTTPClient", "DuetCaching", "DuetHTTP", "DuetHummingbird", "DuetJWT", "DuetSQLite",
            ],
            argumentParser,
            crypto,
            grdb,
            http,
            hummingbird,
            jwtKit,
            nio,
            passwords
        ),

        // What tests share, and programs that they start.
        support("Core/OtherModule", ["Duet"]),
        support("Testing/TestSupport", ["Duet", "DuetContracts", "DuetTesting"], tested, context, http, hummingbird),
        support("Testing/FuzzTesting", ["DuetTesting", "TestSupport"]),
        support(
            "EssentialFeed/FeedTesting",
            ["DuetContracts", "DuetTesting", "FeedCache", "FeedFeature", "TestSupport"]
        ),
        support("HTTP/NotesService", core + ["DuetCaching", "DuetContracts", "DuetHTTP"], http),
        program("Tests/Caching/CacheInterleavings", ["Duet", "DuetCaching", "DuetContext", "DuetTesting"]),
        program("Tests/Caching/StoreWriter", ["Duet", "DuetCaching", "DuetContracts", "DuetSQLite"], grdb),
        program(
            "Tests/HTTP/CachingServer",
            ["Duet", "DuetAsyncHTTPClient", "DuetHTTP", "DuetHTTPCaching"],
            http,
            hummingbird
        ),
        program("Tests/Cluster/ClusterChaosNode", toolkit + ["DuetNATS", "DuetTesting", "TestSupport"], grdb),
        program("Tests/EssentialFeed/FeedStoreWriter", ["FeedCache", "FeedCacheSQLite", "FeedTesting"]),

        tests("Core/DuetTests", ["Duet", "DuetTesting", "OtherModule", "TestSupport"]),
        tests("Core/DuetContextTests", core + ["DuetTesting", "TestSupport"], context),
        tests("Core/DuetDependenciesTests", core + ["DuetTesting", "TestSupport"]),
        tests("Core/DuetMacrosTests", testKit + ["FeedTesting"]),
        tests(
            "Caching/DuetCachingTests",
            core + ["CacheInterleavings", "DuetCaching", "DuetContracts", "DuetTesting", "TestSupport"],
            context
        ),
        tests("Caching/DuetSQLiteTests", testKit + ["FeedTesting", "StoreWriter"], grdb, http, hummingbird),
        tests(
            "HTTP/DuetHTTPTests",
            core
                + [
                    "CDuetZlib", "DuetCaching", "DuetContracts", "DuetHTTP", "DuetTesting", "NotesService",
                    "TestSupport",
                ],
            http
        ),
        tests("HTTP/DuetHTTPCachingTests", testKit, http, hummingbird),
        // One probe suite for both adapters, and what is AsyncHTTPClient's own.
        tests(
            "HTTP/DuetHTTPAdapterTests",
            testKit + ["FeedTesting"],
            http,
            hummingbird,
            nioHTTP2,
            nioSSL,
            tlsTesting
        ),
        tests(
            "HTTP/DuetHummingbirdTests",
            testKit + ["NotesService"],
            crypto,
            http,
            hummingbird,
            hummingbirdTesting,
            jwtKit,
            loggingTesting
        ),
        // A proxy that fails, and malformed input.
        tests("HTTP/DuetHTTPFaultTests", testKit + feed, http, hummingbird, jwtKit, resources: [.copy("Corpus")]),
        // The messages of the guide's snippet, against the real servers that it names.
        tests(
            "HTTP/DuetHTTPGuideTests",
            testKit + ["FeedTesting"],
            http,
            hummingbird,
            settings: [.define("DUET_GUIDE_TESTS")]
        ),
        tests("Cluster/DuetClusterTests", testKit, context, metrics, metricsTesting),
        tests("Cluster/DuetNATSTests", testKit + ["ClusterChaosNode", "DuetNATS", "FeedTesting"], context, grdb),
        tests("App/DuetSwiftUITests", core + ["DuetCaching", "DuetSwiftUI", "DuetTesting"]),
        tests(
            "App/DuetTelemetryTests",
            testKit,
            http,
            hummingbird,
            loggingTesting,
            metrics,
            metricsTesting,
            tracing,
            tracingTesting
        ),
        // A small application that uses only the public API.
        tests("App/NotesTests", testKit, http, hummingbird),
        tests("Testing/DuetTestingTests", testKit, http, hummingbird),

        tests("Examples/RealWorldTests", testKit + ["realworld"], grdb, http, hummingbird),

        tests("EssentialFeed/FeedFeatureTests", ["Duet", "DuetTesting", "FeedFeature", "FeedTesting"]),
        tests("EssentialFeed/FeedAPITests", ["Duet", "DuetHTTP", "FeedAPI", "FeedFeature", "FeedTesting"], http),
        tests("EssentialFeed/FeedCacheTests", ["FeedCache", "FeedFeature", "FeedTesting"]),
        tests("EssentialFeed/FeedCacheSQLiteTests", testKit + feed + ["FeedStoreWriter"], grdb),
        tests("EssentialFeed/FeedPresentationTests", ["FeedFeature", "FeedPresentation", "FeedTesting"]),
        tests("EssentialFeed/FeedBackendTests", testKit + feed, grdb, http, hummingbird, hummingbirdTesting),
        tests("EssentialFeed/FeedWebTests", testKit + feed, http, hummingbird, hummingbirdTesting),
        tests(
            "EssentialFeed/FeedCompositionTests",
            testKit + feed,
            grdb,
            http,
            hummingbird,
            hummingbirdTesting,
            loggingTesting,
            metrics,
            tracing
        ),
        tests("EssentialFeed/FeedAcceptanceTests", testKit + feed, hummingbird, loggingTesting),
        // The pages in Chromium, which chromedriver drives.
        tests("EssentialFeed/FeedBrowserTests", testKit + feed, http, hummingbird, loggingTesting),
        tests(
            "EssentialFeed/FeedCommandTests",
            ["feed"] + testKit + feed,
            argumentParser,
            http,
            hummingbird,
            hummingbirdTesting
        ),
    ],
    swiftLanguageModes: [.v6]
)
