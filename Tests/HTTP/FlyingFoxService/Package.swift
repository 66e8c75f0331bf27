// swift-tools-version: 6.2

import PackageDescription

// The notes of the tests, served with FlyingFox. `make service` checks that they meet the contract of a service.
let package = Package(
    name: "flyingfox-service",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "duet", path: "../../..", traits: ["HTTP"]),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/swhitty/FlyingFox", exact: "0.27.1"),
    ],
    targets: [
        .executableTarget(
            name: "FlyingFoxService",
            dependencies: [
                .product(name: "Duet", package: "duet"),
                .product(name: "DuetCaching", package: "duet"),
                .product(name: "DuetContext", package: "duet"),
                .product(name: "DuetHTTP", package: "duet"),
                .product(name: "FlyingFox", package: "FlyingFox"),
                .product(name: "FlyingSocks", package: "FlyingFox"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InferIsolatedConformances"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            ]
        )
    ]
)
