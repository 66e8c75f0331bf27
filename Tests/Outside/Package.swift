// swift-tools-version: 6.2

import PackageDescription

// A carrier, two stores and an engine of a user, which need nothing but the public API.
let package = Package(
    name: "Outside",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "duet", path: "../..", traits: ["Cluster", "HTTP"])],
    targets: [
        .testTarget(
            name: "OutsideTests",
            dependencies: [
                .product(name: "Duet", package: "duet"),
                .product(name: "DuetCaching", package: "duet"),
                .product(name: "DuetCluster", package: "duet"),
                .product(name: "DuetClusterEngine", package: "duet"),
                .product(name: "DuetContracts", package: "duet"),
                .product(name: "DuetHTTPCaching", package: "duet"),
            ],
            path: "Tests"
        )
    ]
)
