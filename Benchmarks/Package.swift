// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
    name: "duet-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        // No trait: what is measured here needs the core alone, which builds in seconds.
        .package(name: "duet", path: "..", traits: [])
    ],
    targets: [
        // What is dispatched, in a module of its own, so that no call to a handler can be inlined into its caller.
        .target(
            name: "DispatchSubjects",
            dependencies: [.product(name: "Duet", package: "duet")],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "DispatchBenchmark",
            dependencies: ["DispatchSubjects", .product(name: "Duet", package: "duet")],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
